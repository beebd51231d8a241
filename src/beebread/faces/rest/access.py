"""Who asks over HTTP, and how often: bearer tokens into principals, a rate for each credential."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import TypeVar

from beebread.errors import Forbidden
from beebread.faces.rest.answered import Refused
from beebread.faces.rest.options import ServerOptions
from beebread.model import Principal
from beebread.service import Service

OWNER = Principal(roles=("admin", "self"), clearance=3)
"""Who connects to a memory without keys: as embedded, the folder's administrator. Only this machine can."""
FRESH = 1.0  # seconds for which is believed what the store said of a token
KNOWN = 4096
T = TypeVar("T")
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="beebread"'}


class Access:
    """The credentials of one server."""

    def __init__(self, service: Service, options: ServerOptions) -> None:
        self._service = service
        self._rate = options.rate
        self._known: OrderedDict[str, tuple[Principal, float]] = OrderedDict()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._keys = (False, 0.0)

    async def guarded(self) -> bool:
        """Whether a key is needed."""
        has, until = self._keys
        if not has and time.monotonic() >= until:  # once there is a key there is always one
            has = await self._service.has_keys()
            self._keys = (has, time.monotonic() + FRESH)
        return has

    async def credential(self, headers: Mapping[str, str]) -> tuple[str, Principal]:
        """The token that a request shows and whom it stands for. Raises Refused (401) where one is needed and none is right."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        token = token.strip() if scheme.lower() == "bearer" else ""
        if not await self.guarded():
            return "", OWNER
        if not token:
            raise Refused(401, "a key is needed: send Authorization: Bearer TOKEN, with a token of `beebread key create`", _CHALLENGE)
        known = self._known.get(token)
        if known is None or time.monotonic() >= known[1]:
            try:
                known = (await self._service.authenticate(token), time.monotonic() + FRESH)
            except Forbidden as error:
                self._known.pop(token, None)
                raise Refused(401, str(error), {"WWW-Authenticate": 'Bearer realm="beebread", error="invalid_token"'}) from None
            _remember(self._known, token, known)
        return token, known[0]

    def count(self, token: str) -> None:
        """Take one request from the credential's bucket. Raises Refused (429) when it is empty."""
        if not self._rate:
            return
        now = time.monotonic()
        most = max(1.0, self._rate)
        left, at = self._buckets.get(token, (most, now))
        left = min(most, left + (now - at) * self._rate)
        if left < 1:
            raise Refused(
                429,
                "too many requests with this credential: wait as Retry-After says",
                {"Retry-After": str(int(1 + (1 - left) / self._rate))},
            )
        _remember(self._buckets, token, (left - 1, now))


def _remember(kept: OrderedDict[str, T], name: str, value: T) -> None:
    kept[name] = value
    kept.move_to_end(name)
    if len(kept) > KNOWN:
        kept.popitem(last=False)
