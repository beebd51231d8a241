"""What a server is started with."""

from __future__ import annotations

from msgspec import Struct

LOOPBACK = frozenset(("127.0.0.1", "::1", "localhost"))


class ServerOptions(Struct, frozen=True, kw_only=True):
    """Where a server listens, and what it takes. Sizes in bytes, times in seconds."""

    host: str = "127.0.0.1"
    port: int = 8080
    body: int = 16 << 20  # of one request, unpacked; a stream of events may be longer, its lines may not
    rate: float = 0.0  # requests a second of one credential, on average; 0 sets no limit
    at_once: int = 256  # requests being answered
    patience: float = 30.0  # for the rest of a request's body, and for a stop

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in LOOPBACK
