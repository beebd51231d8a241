"""Answers why a record was recalled or was not, without telling an agent more than it may know (mission R10)."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from beebread import policy
from beebread.model import EVERY_STATUS, HISTORY, Principal, Query, Rank, Record, Report, Where, owner
from beebread.ports import Store
from beebread.retrieval.found import Found
from beebread.retrieval.fuse import terms_of
from beebread.retrieval.options import ECHOES
from beebread.retrieval.rank import reasons

_FILTERS = (
    "types", "kinds", "layers", "keys", "tags", "entities", "sessions", "tasks", "actors", "origins", "speakers", "ids", "after", "before",
    "as_of", "known_at", "min_confidence", "linked_to", "environment",
)  # fmt: skip
_UNKNOWN = "no such record: it was never written, was erased, or is not for this asker"


class Explanation(Struct, frozen=True, kw_only=True):
    """Why record `id` is or is not in the answer to a query.

    `verdict` says it in a sentence. `rank` counts from 1 in the whole ranking, 0 when it is not there; `found` when it is within the
    limit. `filters` are those of the query that shut it out. `relevance` is the fused score that is held against `threshold`, `parts`
    and `reasons` what it is made of. `matched` and `missing` are the query's words that it has and lacks.
    """

    id: str
    verdict: str
    found: bool = False
    rank: int = 0
    score: float = 0.0
    status: str = ""
    filters: tuple[str, ...] = ()
    channels: dict[str, Rank] = {}
    relevance: float = 0.0
    threshold: float = 0.0
    parts: dict[str, float] = {}
    reasons: tuple[str, ...] = ()
    matched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    report: Report = Report()


async def written(store: Store, where: Where, expect: str) -> Record | None:
    """The record called `expect`, whatever its status and whatever the query's filters.

    Nobody reads by this what he may not see, but an administrator, who is told of what lies outside an agent's view.
    """
    asker = where.asker
    if "admin" in asker.roles:
        asker = Principal(
            tenant=asker.tenant, user=asker.user, agent=asker.agent, session=asker.session, task=asker.task, groups=asker.groups,
            clearance=3, kinds=None, roles=("admin", "self"),
        )  # fmt: skip
    found = await store.get([expect], Where(asker=asker, now=where.now, status=EVERY_STATUS))
    return found[0] if found else None


def explanation(record: Record | None, expect: str, found: Found, query: Query, where: Where) -> Explanation:
    """Put together what each step of the search did with `record`."""
    report = found.report("")
    if record is None:
        return Explanation(id=expect, verdict=_UNKNOWN, report=report)
    key, held = (owner(record.scope), record.id), terms_of(record)
    fused = next((one for one in found.fused if one.key == key), None)
    place = next((at for at, one in enumerate(found.ranked, 1) if one.fused.key == key), 0)
    twin = next((one for one in found.ranked if one.fused.key[0] == key[0] and record.id in one.same), None)
    ranked = found.ranked[place - 1] if place else None
    shown = Explanation(
        id=record.id, verdict="", rank=place, found=0 < place <= query.limit, score=ranked.score if ranked else 0.0,
        status=policy.status_of(record, where), filters=filters(record, where), channels=fused.channels if fused else {},
        relevance=fused.relevance if fused else 0.0, threshold=found.threshold, parts=fused.parts if fused else {},
        reasons=reasons(ranked, found.plan, where) if ranked else (), matched=tuple(term for term in found.plan.terms if term in held),
        missing=tuple(term for term in found.plan.terms if term not in held), report=report,
    )  # fmt: skip
    same = twin.fused.record.id if twin else ""
    return msgspec.structs.replace(shown, verdict=_verdict(shown, record, where, found, same))


def filters(record: Record, where: Where) -> tuple[str, ...]:
    """The filters of `where`, each by itself, that `record` does not answer; its status aside."""
    everything = Where(asker=where.asker, now=where.now, status=EVERY_STATUS)
    if not policy.visible(where.asker, record):
        return ("asker",)
    return tuple(
        name
        for name in _FILTERS
        if getattr(where, name) and not policy.matches(record, msgspec.structs.replace(everything, **{name: getattr(where, name)}))
    )


def _verdict(shown: Explanation, record: Record, where: Where, found: Found, same: str) -> str:
    if shown.filters == ("asker",):
        return "kept, and this asker may not see it: its agent, session, sensitivity or kind is beyond the credential"
    if shown.filters:
        return f"kept, and shut out by the query's {', '.join(shown.filters)}"
    if shown.status not in where.status:
        return f"kept, and {shown.status}: " + ("ask with history" if shown.status in HISTORY else "it is not shown")
    if record.kind in ECHOES and not where.kinds:
        return f"kept, and a {record.kind}: the memory's own doings are recalled only when their kind is asked for"
    if shown.found:
        return f"found, as number {shown.rank}"
    if shown.rank:
        return f"found, and cut off by the limit: it is number {shown.rank} of {len(found.ranked)}"
    if same:
        return f"found, and folded into {same}, which says the same"
    if shown.relevance:
        return f"found, and not relevant enough: it has {shown.relevance:.2f}, and {shown.threshold:.2f} is the least"
    if found.plan.terms and not shown.matched:
        return "kept, and has none of the words asked for"
    if met := [name for name, hits in found.outcome.hits.items() if any(hit.id == record.id for hit in hits)]:
        return f"found by {', '.join(met)}, and too far behind the best {len(found.fused)} to be read"
    ran = ", ".join(name for name in found.plan.channels if name not in found.outcome.failed)
    return f"kept, and not among the {found.plan.pool} best of any channel that ran ({ran})"
