"""What a service works with: the plugs and rules that wiring hands in, and nothing global."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from beebread.clock import Clock
from beebread.model import AuditLine, Principal, Rules
from beebread.ports import Blobs, Redact, Store
from beebread.retrieval import Retriever
from beebread.settings import Settings

RETRIES = 16  # of a write that lost a race for its slot or version


@dataclass(frozen=True, slots=True)
class Rooms:
    """The rooms of one memory; `redact` None keeps text as it is."""

    store: Store
    blobs: Blobs
    retriever: Retriever
    settings: Settings
    rules: Rules
    clock: Clock
    redact: Redact | None = None
    where: str = ""  # where the data lives, for people


def audit_line(who: Principal, operation: str, at: datetime, home: str, ids: tuple[str, ...], reason: str = "") -> AuditLine:
    """The diary's line for what `who` did to the records `ids` of owner `home`."""
    return AuditLine(
        at=at,
        operation=operation,
        owner=home,
        tenant=who.tenant,
        user=who.user,
        agent=who.agent,
        session=who.session,
        ids=ids,
        reason=reason,
    )
