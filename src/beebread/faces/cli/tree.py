"""The forms of the command tree: help with a command's own options first, and the nearest names for a mistyped command."""

from __future__ import annotations

import difflib
from collections.abc import Collection

import click


class Leaf(click.Command):
    """A command whose help shows its own options, then those that every command takes."""

    shared: Collection[str] = ()

    def share(self, names: Collection[str]) -> None:
        """Say which parameters every command takes; they come last, in the order that they have."""
        self.shared = names
        self.params.sort(key=lambda parameter: parameter.name in names)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        own: list[tuple[str, str]] = []
        common: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            said = None if isinstance(parameter, click.Argument) else parameter.get_help_record(ctx)
            if said is not None:
                every = parameter.name in self.shared or parameter is self.get_help_option(ctx)
                (common if every else own).append(said)
        for title, rows in (("Options", own), ("Options of every command", common)):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Branch(click.Group):
    """A group that answers a mistyped command with the nearest ones."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            near = difflib.get_close_matches(name, self.list_commands(ctx))
            ctx.fail(f"No such command {name!r}." + (f" Did you mean {' or '.join(near)}?" if near else ""))
        return super().resolve_command(ctx, args)
