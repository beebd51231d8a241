"""What the next model call needs: the session's tail, its task's state, standing instructions and the right past, packed."""

from __future__ import annotations

from collections import defaultdict

import msgspec

from beebread import context, policy
from beebread.clock import MICROSECOND
from beebread.errors import BeebreadError, Invalid
from beebread.model import Actor, Batch, Event, Item, Memory, Pack, Principal, Query, Recall, Report, State, Where, new_id, state_id
from beebread.ports import TokenCount
from beebread.service.requests import ContextRequest, checked
from beebread.service.rooms import Rooms, local_time
from beebread.tasks import state as rules_of_state
from beebread.text import estimate_tokens
from beebread.text.cues import cues

TAIL = 200  # events of the session that a pack may hold, and up to CHUNK more
CHUNK = 100
CANDIDATES = 30  # recalled items among which the packer chooses
SPOKEN = ("user_message", "assistant_message")
STATES = 200  # states of the user among which those that the turn needs are looked for
INSTRUCTIONS = 30


class Contexts:
    """The operation that makes packs."""

    _rooms: Rooms

    async def context(self, who: Principal, ask: ContextRequest, count: TokenCount | None = None) -> Pack:
        """A pack of at most `ask.budget` tokens, valid for the chat API of `ask.shape`.

        What it gives is noted in the session as a memory_injected event (ids only), so that later turns show it again at the same place
        (the prefix stays the same) and nothing is given twice; what was forgotten since is left out. Raises Invalid where the request
        itself does not fit the budget.
        """
        if not ask.query.text.strip():
            raise Invalid("context needs the request that the pack is for: context('…', budget=…)")
        rooms, query = self._rooms, checked(ask.query, self._rooms.rules)
        tail = await self._tail(who, query)
        now = local_time(self._rooms, query, tail)
        recall = await rooms.retriever.recall(
            msgspec.structs.replace(query, limit=max(query.limit, CANDIDATES)),
            msgspec.structs.replace(policy.where_for(who, query, now), now=now),
            session=who.session,
        )
        items = (*recall.items, *await self._rest_of_task(who, query, recall))
        pack = context.pack(
            context.Request(
                budget=ask.budget, shape=ask.shape, text=query.text, system=ask.system, now=now, tail=tuple(tail), items=items,
                given=await self._given(who, tail), instructions=tuple(await self._instructions(who, query)),
                states=tuple(await self._states_for(who, query)), count=count or estimate_tokens, again=query.again,
            )
        )  # fmt: skip
        return msgspec.structs.replace(pack, report=await self._noted(who, pack, recall, query, tail))

    def _filter(self, who: Principal, query: Query, **more: object) -> Where:
        bare = Query(now=query.now, as_of=query.as_of, known_at=query.known_at)
        return msgspec.structs.replace(policy.where_for(who, bare, self._rooms.clock.now()), **more)

    async def _tail(self, who: Principal, query: Query) -> list[Event]:
        if not who.session:
            return []
        where = self._filter(who, query, types=("event",), sessions=(who.session,), order="-time")
        # The tail begins at a place that moves by whole chunks, so that what is before it stays the same from turn to turn.
        count = sum((await self._rooms.store.count(where)).values())
        begin = max(0, (count - TAIL) // CHUNK * CHUNK)
        found = await self._rooms.store.scan(where, max(1, count - begin))
        return [record for record in reversed(found) if isinstance(record, Event)]

    async def _rest_of_task(self, who: Principal, query: Query, recall: Recall) -> list[Item]:
        """When an earlier task is to go on: what was said in the session that most of the recall comes from, newest first."""
        if "resume" not in cues(query.text):
            return []
        weights: defaultdict[str, float] = defaultdict(float)
        for item in recall.items:
            if item.record.scope.session != who.session:
                weights[item.record.scope.session] += item.score
        session = max(weights, key=weights.__getitem__, default="")
        if not session:
            return []
        where = self._filter(who, query, types=("event",), kinds=SPOKEN, sessions=(session,), order="-time")
        known = {item.id for item in recall.items}
        return [context.as_item(record) for record in await self._rooms.store.scan(where, CANDIDATES) if record.id not in known]

    async def _given(self, who: Principal, tail: list[Event]) -> dict[str, Item]:
        """The records that earlier packs of this session gave, as they may be seen now."""
        names = dict.fromkeys(name for event in tail if event.kind == "memory_injected" for name in event.refers_to)
        if not names:
            return {}
        records = await self._rooms.store.get(
            list(names), self._filter(who, Query(), status=("active", "disputed", "superseded", "expired"))
        )
        return {item.id: item for item in map(context.as_item, records)}

    async def _instructions(self, who: Principal, query: Query) -> list[Memory]:
        where = self._filter(who, query, types=("memory",), kinds=("instruction",), order="-time")
        found = (await self._rooms.store.scan(where, INSTRUCTIONS))[::-1]
        # Only what the user said himself may speak as an instruction; a tool's or a page's text never does.
        return [record for record in found if isinstance(record, Memory) and record.trust == "human"]

    async def _states_for(self, who: Principal, query: Query) -> list[State]:
        listed = self._rooms.store.states.list
        found = {state_id(state): state for state in await listed(self._filter(who, query), STATES)}
        if who.task:  # however many others come before it
            found.update({state_id(state): state for state in await listed(self._filter(who, query, tasks=(who.task,)), STATES)})
        return rules_of_state.relevant(found.values(), query.text, who.task)

    async def _noted(self, who: Principal, pack: Pack, recall: Recall, query: Query, tail: list[Event]) -> Report:
        report = msgspec.structs.replace(recall.report, plan={**recall.report.plan, "pack": pack.report.plan})
        # Pinned instructions and states are told again each turn; only recalled records are given once.
        names = tuple(one.id for one in pack.citations if one.kind != "given" and not one.mark.startswith(("[i", "[s")))
        if not (who.session and names):
            return report
        now = self._rooms.clock.now()
        # A run that is replayed goes by its own time: the note stands where the turn that it belongs to ends.
        at = now if query.now is None else tail[-1].at + MICROSECOND if tail else query.now
        event = Event(
            id=new_id(), scope=policy.scope_for(who), kind="memory_injected", at=at, recorded_at=now, origin="memory",
            actor=Actor(who.agent), refers_to=names,
        )  # fmt: skip
        try:
            await self._rooms.store.apply(Batch(put=(event,)))
        except BeebreadError as error:
            # The pack is right; only the note of it is missing, and the report says so.
            return msgspec.structs.replace(report, failed={**report.failed, "given": str(error)})
        return report
