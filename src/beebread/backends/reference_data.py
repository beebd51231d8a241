"""What the reference engine keeps: plain dicts, copied before a transaction and taken over after it."""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from beebread.errors import Invalid
from beebread.model import AuditLine, Record, State
from beebread.text import Document

Key: TypeAlias = tuple[str, str]  # owner, id
T = TypeVar("T", bound=Struct)


class Data(Struct):
    """Everything of one store. `states` holds the versions of each state, oldest first; `position` never goes back."""

    records: dict[Key, Record] = {}
    documents: dict[Key, Document] = {}
    aliases: dict[Key, str] = {}
    tombstones: dict[Key, datetime] = {}
    states: dict[Key, list[State]] = {}
    marks: dict[str, int] = {}
    diary: list[AuditLine] = []
    position: int = 0

    def copy(self) -> Data:
        """A draft to change; records, states and lines are frozen and shared."""
        return Data(
            records=dict(self.records), documents=dict(self.documents), aliases=dict(self.aliases), tombstones=dict(self.tombstones),
            states={key: list(versions) for key, versions in self.states.items()}, marks=dict(self.marks), diary=list(self.diary),
            position=self.position,
        )  # fmt: skip

    def adopt(self, draft: Data) -> None:
        """Become what `draft` is, all at once."""
        self.records, self.documents, self.aliases, self.tombstones = draft.records, draft.documents, draft.aliases, draft.tombstones
        self.states, self.marks, self.diary, self.position = draft.states, draft.marks, draft.diary, draft.position

    def resolve(self, home: str, name: str) -> Key | None:
        """The key of the record called `name`, or by an alias `name`, of one owner; None when there is none."""
        if (home, name) in self.records:
            return home, name
        survivor = self.aliases.get((home, name))
        return (home, survivor) if survivor is not None else None


def sound(value: T, *ids: str) -> T:
    """`value` as JSON gives it back, so that nothing the caller holds is shared; Invalid when it cannot be written as JSON."""
    try:
        return msgspec.json.decode(msgspec.json.encode(value), type=type(value))
    except (UnicodeEncodeError, TypeError, OverflowError, RecursionError, msgspec.MsgspecError) as error:
        raise Invalid(f"this cannot be kept: {error}; make it plain JSON data in well-formed Unicode", ids=ids) from error
