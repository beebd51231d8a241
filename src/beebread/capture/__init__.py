"""Purpose: an agent's run becomes events: recorded without waiting, each once, with its causes, masked before it leaves memory.
May import: beebread.model, errors, clock, policy, text, ports and settings.
Never does: storing, asking a model, naming an agent framework, deciding who may see what.
Start reading at: recorder.py; then ledger.py (re-sent history) and references.py (edges that nobody gave)."""

from __future__ import annotations

from beebread.capture.delivery import Rejected, Sent
from beebread.capture.draft import Causes, Details
from beebread.capture.injected import is_injected, taken_apart
from beebread.capture.ledger import Call, MessageLedger, New
from beebread.capture.messages import Step, steps
from beebread.capture.payload import offloaded, reduced
from beebread.capture.recorder import Recorder, SendEvents
from beebread.capture.redact import masked, patterns, redacted
from beebread.capture.references import Values, refers
from beebread.capture.running import capturing, session, step
from beebread.capture.spill import Spill
from beebread.capture.strings import cleaned, plain, storable

__all__ = [
    "Call",
    "Causes",
    "Details",
    "MessageLedger",
    "New",
    "Recorder",
    "Rejected",
    "SendEvents",
    "Sent",
    "Spill",
    "Step",
    "Values",
    "capturing",
    "cleaned",
    "is_injected",
    "masked",
    "offloaded",
    "patterns",
    "plain",
    "redacted",
    "reduced",
    "refers",
    "session",
    "step",
    "steps",
    "storable",
    "taken_apart",
]
