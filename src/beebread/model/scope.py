"""Where a record lives (Scope), who asks (Principal), and the owner: the one key of clustering, sealing, erasing and isolation."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import quote

from msgspec import Struct

SPACES = ("private", "shared", "system", "session")
ROLES = ("agent", "self", "support", "admin")


class Scope(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Where a record lives. An absent part is the empty value, compared by equality like any other: no wildcard, no prefix."""

    tenant: str = ""
    space: str = "private"
    user: str = ""
    group: str = ""
    agent: str = ""  # set only by an isolated credential or bind(private=True): the record is that agent's alone
    session: str = ""
    task: str = ""
    sensitivity: int = 0  # 0 (open) to 3 (secret); read only with as much clearance


class Principal(Struct, frozen=True, kw_only=True):
    """Who asks; made by a face from credentials, the first argument of every operation. Requests narrow it, never widen it.

    `kinds` None means every kind; an empty tuple means none. `private` is an isolated credential: what it writes is its agent's alone.
    """

    tenant: str = ""
    user: str = ""
    agent: str = ""
    session: str = ""
    task: str = ""
    groups: tuple[str, ...] = ()
    clearance: int = 0
    kinds: tuple[str, ...] | None = None
    roles: tuple[str, ...] = ("agent",)
    private: bool = False


@lru_cache(maxsize=1 << 14)
def _name(letter: str, tenant: str, name: str) -> str:
    # Percent-encoding keeps the three parts apart whatever characters a tenant or user id has, a lone surrogate too.
    return f"{letter}:{quote(tenant, safe='', errors='surrogatepass')}:{quote(name, safe='', errors='surrogatepass')}"


def user_owner(tenant: str, user: str) -> str:
    """The owner of what `user` of `tenant` keeps."""
    return _name("u", tenant, user)


def owner(scope: Scope) -> str:
    """The owner of a record in `scope`: tenant and (user, or group, or all of the tenant, or its system)."""
    if scope.space == "system":
        return _name("s", scope.tenant, "")
    if scope.space == "shared":
        return _name("g", scope.tenant, scope.group) if scope.group else _name("a", scope.tenant, "")
    return user_owner(scope.tenant, scope.user)


def owners(who: Principal) -> tuple[str, ...]:
    """Every owner whose records `who` may look among: his own, his groups', the whole tenant's, the system's."""
    groups = tuple(_name("g", who.tenant, group) for group in dict.fromkeys(who.groups) if group)
    return (user_owner(who.tenant, who.user), *groups, _name("a", who.tenant, ""), _name("s", who.tenant, ""))
