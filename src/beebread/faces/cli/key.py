"""Commands on keys: key create, list, revoke. A key is what a server wants to be shown; --user, --agent and the like bind it."""

from __future__ import annotations

from typing import Any

import click

from beebread.faces.cli.options import Door, command
from beebread.faces.cli.terminal import Terminal
from beebread.faces.cli.tree import Branch
from beebread.model import ROLES
from beebread.service import Key


@click.group("key", cls=Branch)
def key() -> None:
    """Make keys for a server. Once there is one, nobody is served without."""


@command("create", writes=True)
@click.argument("name", default="")
@click.option("--role", "roles", multiple=True, type=click.Choice(ROLES), help="What it may do (default: by whom it is bound to).")
@click.option("--private", is_flag=True, help="What it writes is its --agent's alone.")
@click.option("--kind", "kinds", multiple=True, metavar="K", help="It sees only this kind (repeatable; default: every kind).")
@click.option("--expires", "expires_at", metavar="TIME", help="When it ends: ISO 8601 with offset (default: never).")
def create(door: Door, name: str, **options: Any) -> None:
    """Make a key called NAME and print its token.

    The token is shown this once. --user, --agent, --tenant, --group and --clearance bind the key.

    \b
    beebread key create phone --user u1
    beebread key create operator --role admin
    """
    bound = {part: door.bindings[part] for part in ("tenant", "user", "agent", "groups", "clearance") if part in door.bindings}
    made = door.root.key_create(name, **bound, **{**options, "kinds": options["kinds"] or None})

    def show(out: Terminal) -> None:
        out.print(made.token, markup=False)
        door.note(f"key {made.key.id} for {_whom(made.key)}; keep the token now, it is not shown again")

    door.answer(made, show)


@command("list")
def list_(door: Door) -> None:
    """List all keys, oldest first; revoked and expired ones too."""
    found = door.root.key_list()

    def show(out: Terminal) -> None:
        rows = [
            (one.id, one.name, _whom(one), out.moment(one.created_at), "revoked" if one.revoked_at else _until(out, one)) for one in found
        ]
        out.table(("id", "name", "stands for", "made", "ends"), rows, text="stands for")

    door.answer(found, show, empty=not found)


@command("revoke", writes=True)
@click.argument("id")
def revoke(door: Door, id: str) -> None:
    """End the key ID now. ID is the middle part of its token."""
    ended = door.root.key_revoke(id)
    door.answer(ended, lambda out: out.print(f"key {ended.id} ({_whom(ended)}) is revoked", markup=False))


def _whom(one: Key) -> str:
    who = one.principal
    parts = {"tenant": who.tenant, "user": who.user, "agent": who.agent, "groups": ", ".join(who.groups), "roles": ", ".join(who.roles)}
    return " ".join(f"{name}={value}" for name, value in parts.items() if value) + f" clearance={who.clearance}"


def _until(out: Terminal, one: Key) -> str:
    return out.moment(one.expires_at) if one.expires_at else "never"


for _command in (create, list_, revoke):
    key.add_command(_command)
