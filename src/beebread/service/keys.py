"""Keys: what a face is shown as a credential, and the principal that it stands for. Of a token only a hash is kept."""

from __future__ import annotations

from datetime import datetime
from hashlib import blake2b
from hmac import compare_digest
from secrets import token_hex, token_urlsafe

import msgspec
from msgspec import Struct

from beebread import policy
from beebread.errors import Forbidden, Invalid, NotFound
from beebread.model import EVERY_STATUS, ROLES, Actor, Field, Principal, State, Where, owner, state_id
from beebread.service.requests import Nothing
from beebread.service.rooms import Rooms, audit_line

PREFIX = "bb"
MANY = 1000  # keys of one page of the store
_REFUSED = "this token is not valid: it is unknown, expired or revoked; ask for one that `beebread key create` made"


class KeyCreate(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A key for whoever shows its token. `roles` empty means: agent where an agent is named, self where a user is, else admin and self.

    `clearance` None means what a client bound to the user has: 0 with a user, else the maker's own. `kinds` None means every kind.
    """

    name: str = ""
    tenant: str = ""
    user: str = ""
    agent: str = ""
    groups: tuple[str, ...] = ()
    clearance: int | None = None
    kinds: tuple[str, ...] | None = None
    roles: tuple[str, ...] = ()
    private: bool = False
    expires_at: datetime | None = None


class Key(Struct, frozen=True, kw_only=True):
    """A key as it may be shown: whom it stands for, and until when."""

    id: str
    name: str
    principal: Principal
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def ended(self, now: datetime) -> bool:
        """Whether it is revoked or expired."""
        return self.revoked_at is not None or (self.expires_at is not None and self.expires_at <= now)


class KeyMade(Struct, frozen=True, kw_only=True):
    """A new key and its token, which is shown this once."""

    token: str
    key: Key


class KeyId(Struct, frozen=True, kw_only=True):
    """One key by its id, which is the middle of its token."""

    id: str


class KeyPage(Struct, frozen=True, kw_only=True):
    """All keys of the asker's tenant, oldest first, revoked and expired ones too."""

    items: tuple[Key, ...] = ()


class Keys:
    """The operations on keys, for administrators, and what a face asks before any operation: whom a token stands for."""

    _rooms: Rooms

    async def key_create(self, who: Principal, ask: KeyCreate) -> KeyMade:
        """Make a key that may at most what its maker may. Forbidden for who is no administrator or asks for more."""
        principal = _granted(who, ask)
        now, id, secret = self._rooms.clock.now(), token_hex(6), token_urlsafe(32)
        if ask.expires_at is not None and ask.expires_at <= now:
            raise Invalid("expires_at is past: a key ends in the future, or never")
        key = Key(id=id, name=ask.name, principal=principal, created_at=now, expires_at=ask.expires_at)
        await self._put_key(who, "key_create", key, _hash(secret), None)
        return KeyMade(token=f"{PREFIX}_{id}_{secret}", key=key)

    async def key_list(self, who: Principal, _: Nothing) -> KeyPage:
        """The keys of the asker's tenant; of every tenant for an administrator who is bound to none."""
        policy.check_admin(who)
        found = [_key(state) for state in await self._keys()]
        return KeyPage(items=tuple(sorted((key for key in found if policy.manages(who, key.principal)), key=lambda key: key.created_at)))

    async def key_revoke(self, who: Principal, ask: KeyId) -> Key:
        """End a key now; again changes nothing. NotFound for an unknown one."""
        policy.check_admin(who)
        state = next((one for one in await self._keys(ask.id) if policy.manages(who, _key(one).principal)), None)
        if state is None:
            raise NotFound(f"there is no key {ask.id[:60]!r}")
        key = _key(state)
        if key.revoked_at is None:
            key = msgspec.structs.replace(key, revoked_at=self._rooms.clock.now())
            await self._put_key(who, "key_revoke", key, str(state.fields["hash"].value), state.version)
        return key

    async def whoami(self, who: Principal, _: Nothing) -> Principal:
        """The principal that asks, as its credential and what it asked to be narrowed to make it."""
        return who

    async def authenticate(self, token: str) -> Principal:
        """Whom `token` stands for. Raises Forbidden, always in the same words, for one that is unknown, expired or revoked."""
        id, _, secret = token.removeprefix(f"{PREFIX}_").partition("_")
        found = await self._keys(id) if token.startswith(f"{PREFIX}_") and id and secret and id.isascii() else []
        kept = str(found[0].fields["hash"].value) if found else _hash("")
        same = compare_digest(kept, _hash(secret))  # also where there is none, so that the time tells nothing
        key = _key(found[0]) if found else None
        if not same or key is None or key.ended(self._rooms.clock.now()):
            raise Forbidden(_REFUSED)
        return key.principal

    async def has_keys(self) -> bool:
        """Whether any key was ever made here: then nobody is served without one, even when all were revoked."""
        return bool(await self._keys(limit=1))

    async def _keys(self, id: str = "", limit: int = MANY) -> list[State]:
        where = Where(
            asker=policy.KEEPER_OF_KEYS, now=self._rooms.clock.now(), keys=(f"key:{id}",) if id else (), kinds=("key",), status=EVERY_STATUS
        )
        found: list[State] = []
        while page := await self._rooms.store.states.list(where, limit, f"{found[-1].key}\0{state_id(found[-1])}" if found else ""):
            found += page
            if len(page) < limit or limit == 1:
                break
        return found

    async def _put_key(self, who: Principal, operation: str, key: Key, hashed: str, expect: int | None) -> None:
        now, rooms = self._rooms.clock.now(), self._rooms
        state = State(
            key=f"key:{key.id}", scope=policy.SCOPE_OF_KEYS, memory_type="key", actor=Actor(who.agent), updated_at=now,
            fields={"hash": Field(value=hashed), "key": Field(value=msgspec.to_builtins(key))},
        )  # fmt: skip
        line = audit_line(who, operation, now, owner(policy.SCOPE_OF_KEYS), (key.id,))
        await rooms.store.states.put(state, expect, rooms.rules.state_bytes, [line])


def _granted(who: Principal, ask: KeyCreate) -> Principal:
    """The principal that `who` may give `ask`; Forbidden for more than he is, Invalid for what makes no sense."""
    policy.check_admin(who)
    roles = ask.roles or (("agent",) if ask.agent else ("self",) if ask.user else ("admin", "self"))
    if unknown := sorted(set(roles) - set(ROLES)):
        raise Invalid(f"role {unknown[0][:60]!r} is unknown: use some of {', '.join(ROLES)}")
    if ask.user and "admin" in roles:
        raise Invalid("an administrator is bound to no user: make a key for the user, and another one for the administrator")
    level = ask.clearance if ask.clearance is not None else (0 if ask.user else who.clearance)
    if not 0 <= level <= 3:
        raise Invalid(f"clearance {level} is out of range: use 0 to 3")
    if ask.private and not ask.agent:
        raise Invalid("a private key needs an agent, whose alone is what it writes")
    principal = Principal(
        tenant=ask.tenant or who.tenant, user=ask.user, agent=ask.agent, groups=ask.groups, clearance=level, kinds=ask.kinds, roles=roles,
        private=ask.private,
    )  # fmt: skip
    policy.check_names(principal)
    if not policy.manages(who, principal):
        raise Forbidden("this credential may not make such a key: one for its own tenant, with no more clearance than it has")
    return principal


def _key(state: State) -> Key:
    return msgspec.convert(state.fields["key"].value, Key)


def _hash(secret: str) -> str:
    """One hash of what has 256 random bits needs neither salt nor many rounds."""
    return blake2b(secret.encode(errors="surrogatepass"), digest_size=32, person=b"beebread-key").hexdigest()
