"""Where in SQL: the filter language compiled for the tables of the SQLite engine, equal to policy.matches row by row."""

from __future__ import annotations

from collections.abc import Sequence, Sized

from msgspec import Struct

from beebread.clock import micros
from beebread.errors import Invalid
from beebread.model import Principal, Where

LONGEST = 8000  # names of one filter; a statement takes some thousand values, and a name may be needed several times
Value = str | int | float | bytes | None

STATUS = (
    "CASE WHEN r.forgotten_at IS NOT NULL THEN 'forgotten' WHEN r.pending THEN 'pending' WHEN r.expires_at <= ? THEN 'expired' "
    "WHEN r.valid_to <= ? AND (? IS NULL OR r.closed_at IS NULL OR r.closed_at <= ?) THEN 'superseded' WHEN r.disputed THEN 'disputed' "
    "ELSE 'active' END"
)

LABELLED = "SELECT 1 FROM labels l WHERE l.owner = r.owner AND l.doc = r.doc"


class Clause(Struct):
    """Conditions that must all hold, and the values of their question marks in order."""

    conditions: list[str] = []
    values: list[Value] = []

    def add(self, condition: str, *values: Value) -> None:
        """One more condition."""
        self.conditions.append(condition)
        self.values.extend(values)

    def one_of(self, column: str, wanted: Sequence[str]) -> None:
        """The column has one of the wanted values; nothing wanted filters nothing."""
        if wanted:
            self.add(f"{column} IN ({marks(wanted)})", *map(bound, wanted))

    def none_of(self, column: str, unwanted: Sequence[str]) -> None:
        """The column has none of the unwanted values."""
        if unwanted:
            self.add(f"{column} NOT IN ({marks(unwanted)})", *map(bound, unwanted))

    @property
    def sql(self) -> str:
        """The conditions joined."""
        return " AND ".join(self.conditions) or "1"


def marks(values: Sized) -> str:
    """A question mark for each value, for IN; among none there is nothing, which SQLite takes worse than NULL."""
    return ",".join(["?"] * len(values)) or "NULL"


def bound(value: str) -> Value:
    """`value` as it is bound; text that is not Unicode was never kept, and a blob equals no text."""
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode(errors="surrogatepass")
    return value


def sees(clause: Clause, asker: Principal, kind: str = "r.kind") -> None:
    """Add policy.sees, but for the owner, which is chosen by its number."""
    if "self" not in asker.roles:
        if asker.task:
            clause.add("(r.agent IN ('', ?) OR r.task = ?)", bound(asker.agent), bound(asker.task))
        else:
            clause.add("r.agent IN ('', ?)", bound(asker.agent))
    clause.add("(r.space <> 'session' OR r.session = ?)", bound(asker.session))
    clause.add("r.sensitivity <= ?", asker.clearance)
    if asker.kinds is not None:
        clause.add(f"{kind} IN ({marks(asker.kinds)})", *map(bound, asker.kinds))


def matches(where: Where) -> Clause:
    """policy.matches over `records AS r`, but for the owner."""
    named = (where.types, where.kinds, where.without_kinds, where.layers, where.keys, where.tags, where.entities, where.sessions,
             where.tasks, where.actors, where.origins, where.speakers, where.ids, where.linked_to)  # fmt: skip
    if sum(map(len, named)) > LONGEST:
        raise Invalid(f"a filter takes at most {LONGEST} names: ask in parts")
    clause = Clause()
    sees(clause, where.asker)
    for column, wanted in (
        ("r.type", where.types), ("r.kind", where.kinds), ("r.layer", where.layers), ("r.key", where.keys), ("r.session", where.sessions),
        ("r.task", where.tasks), ("r.actor", where.actors), ("r.origin", where.origins), ("r.speaker", where.speakers), ("r.id", where.ids),
    ):  # fmt: skip
        clause.one_of(column, wanted)
    clause.none_of("r.kind", where.without_kinds)
    _labelled(clause, where)
    if where.min_confidence > 0:
        clause.add("r.confidence >= ?", where.min_confidence)
    _timely(clause, where)
    if where.linked_to:
        clause.add(
            f"EXISTS (SELECT 1 FROM links l WHERE l.owner = r.owner AND l.source = r.id AND l.target IN ({marks(where.linked_to)}))",
            *map(bound, where.linked_to),
        )
    return clause


def _labelled(clause: Clause, where: Where) -> None:
    for sign, wanted in (("#", where.tags), ("&", where.entities)):
        if wanted:
            clause.add(f"EXISTS ({LABELLED} AND l.label IN ({marks(wanted)}))", *(bound(sign + name) for name in wanted))
    for name, value in where.environment.items():
        if value:
            clause.add(f"EXISTS ({LABELLED} AND l.label = ?)", bound(f"={name}\0{value}"))
        else:  # an absent name has the empty value, which is never a label
            clause.add(f"NOT EXISTS ({LABELLED} AND l.label > ? AND l.label < ?)", bound(f"={name}\0"), bound(f"={name}\1"))


def _timely(clause: Clause, where: Where) -> None:
    for condition, moment in (
        ("r.at >= ?", where.after), ("r.at < ?", where.before), ("r.valid_from <= ?", where.as_of), ("r.recorded_at <= ?", where.known_at),
    ):  # fmt: skip
        if moment is not None:
            clause.add(condition, micros(moment))
    known = micros(where.known_at) if where.known_at is not None else None
    clause.add(
        f"{STATUS} IN ({marks(where.status)})",
        micros(where.now), micros(where.as_of or where.now), known, known, *map(bound, where.status),
    )  # fmt: skip


def driven(where: Where, n: int) -> tuple[str, Clause]:
    """The way to what `where` asks for of owner `n` with the least reading, which SQLite cannot know without statistics.

    A hint, and conditions that `matches` implies but for the planner's understanding.
    """
    way = Clause()
    if where.ids:
        return "INDEXED BY records_id", way
    if where.linked_to:
        named = marks(where.linked_to)
        ids = [bound(name) for name in where.linked_to]
        way.add(
            f"r.id IN (SELECT source FROM links WHERE owner = ? AND leads IN ({named}) UNION ALL "
            "SELECT l.source FROM aliases a CROSS JOIN links l ON l.owner = a.owner AND l.leads = a.id "
            f"WHERE a.owner = ? AND a.alias IN ({named}))",
            n, *ids, n, *ids,
        )  # fmt: skip
        return "INDEXED BY records_id", way
    if where.keys and "" not in where.keys:
        way.add("r.key <> ''")
        return "INDEXED BY records_key", way
    for sign, wanted in (("#", where.tags), ("&", where.entities)):
        if wanted:
            named = [bound(sign + name) for name in wanted]
            way.add(f"r.doc IN (SELECT doc FROM labels WHERE owner = ? AND label IN ({marks(named)}))", n, *named)
            return "NOT INDEXED", way
    if where.sessions and "" not in where.sessions:
        return "INDEXED BY records_session", way
    if where.tasks and "" not in where.tasks:
        way.add("r.task <> ''")
        return "INDEXED BY records_task", way
    return "INDEXED BY records_time", way


def states(where: Where) -> Clause:
    """policy.state_matches over `states AS r`, but for the owner."""
    clause = Clause()
    sees(clause, where.asker, "r.memory_type")
    for column, wanted in (
        ("r.key", where.keys), ("r.memory_type", where.kinds), ("r.session", where.sessions), ("r.task", where.tasks),
        ("r.actor", where.actors),
    ):  # fmt: skip
        clause.one_of(column, wanted)
    clause.none_of("r.memory_type", where.without_kinds)
    if where.after is not None:
        clause.add("r.updated_at >= ?", micros(where.after))
    if where.before is not None:
        clause.add("r.updated_at < ?", micros(where.before))
    clause.add(
        "CASE WHEN r.forgotten_at IS NOT NULL THEN 'forgotten' WHEN r.expires_at <= ? THEN 'expired' ELSE 'active' END "
        f"IN ({marks(where.status)})",
        micros(where.now), *map(bound, where.status),
    )  # fmt: skip
    return clause
