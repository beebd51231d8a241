"""Where recording happens: sessions, steps, threads, tasks, adapters; and remembered text that comes back in it."""

from __future__ import annotations

import asyncio
import threading

from beebread.capture import Recorder, capturing, is_injected, session, step, taken_apart
from beebread.capture.intake import SESSIONS
from beebread.capture.track import OPEN_CALLS, REMEMBERED
from beebread.model import Actor, Event, Scope, Tool
from beebread.text.fence import fence
from tests.unit.capture.conftest import Recording
from tests.unit.capture.shelf import HOME, Shelf


def edges(event: Event) -> set[tuple[str, str]]:
    return {(cause.id, cause.relation) for cause in event.causes}


def test_session_and_step_fill_what_is_not_said(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    user = Scope(tenant="acme", user="u1")
    with session("outer", task="t1", run="r1", agent="planner"):
        call = recorder.record("tool_call", scope=user, tool=Tool("delegate", "d1"))
        with step(call):
            with session("inner", agent=Actor("worker"), parent=call):
                inner = recorder.record("agent_start", "做一件事", scope=user)
            beside = recorder.record("thought", "等", scope=user, actor=Actor())
        result = recorder.record("tool_result", "做完了", scope=user, tool=Tool("delegate", "d1"))
        own = recorder.record("thought", "x", scope=HOME, actor="me", run="r2")
    outside = recorder.record("thought", "outside", scope=user)
    recorder.flush()
    assert (shelf.event(inner).scope.session, shelf.event(inner).root_session, shelf.event(inner).actor.id) == ("inner", "outer", "worker")
    assert (shelf.event(inner).parent, shelf.event(inner).scope.task) == (call, "t1")
    assert (shelf.event(beside).parent, shelf.event(beside).actor.id, edges(shelf.event(beside))) == (
        call,
        "planner",
        {(call, "caused_by")},
    )
    assert edges(shelf.event(result)) == {(call, "requested_by")}
    assert shelf.event(result).parent == ""
    assert (shelf.event(own).scope.session, shelf.event(own).actor.id, shelf.event(own).run) == ("s1", "me", "r2")
    assert shelf.event(outside).scope.session == ""


def test_two_instrumentations_at_once_record_once() -> None:
    with capturing("langchain") as outer:
        with capturing("openai") as inner:
            assert (outer, inner) == (True, False)
        with capturing("langchain") as same:
            assert same
    with capturing("openai") as alone:
        assert alone


def test_tool_results_of_other_sessions_are_not_joined(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    recorder.record("tool_call", scope=HOME, tool=Tool("f", "call_1"))
    other = recorder.record("tool_result", "x", scope=Scope(tenant="acme", user="u1", session="s2"), tool=Tool("f", "call_1"))
    recorder.flush()
    assert edges(shelf.event(other)) == set()


def test_threads_and_tasks_at_once_keep_their_sessions_apart(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    user = Scope(tenant="acme", user="u1")

    def talk(name: str, turns: int = 25) -> None:
        with session(name):
            for turn in range(turns):
                recorder.record("user_message", f"{name} 问 {turn}", scope=user)
                recorder.record("assistant_message", f"{name} 答 {turn}", scope=user)

    async def talking(name: str) -> None:
        with session(name):
            for turn in range(25):
                recorder.record("user_message", f"{name} 问 {turn}", scope=user)
                await asyncio.sleep(0)
                recorder.record("assistant_message", f"{name} 答 {turn}", scope=user)
                await asyncio.sleep(0)

    async def all_talking() -> None:
        await asyncio.gather(*(talking(f"async{n}") for n in range(4)))

    threads = [threading.Thread(target=talk, args=(f"thread{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    asyncio.run(all_talking())
    for thread in threads:
        thread.join()
    recorder.flush()
    for name in [f"{kind}{n}" for kind in ("thread", "async") for n in range(4)]:
        mine = [event for event in shelf.events if event.scope.session == name]
        assert [event.text for event in sorted(mine, key=lambda one: one.seq)] == [
            f"{name} {who} {turn}" for turn in range(25) for who in "问答"
        ]
        ids = {event.id for event in mine}
        assert all(cause.id in ids for event in mine for cause in event.causes)


def test_remembered_text_is_never_the_users_words(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    block = fence("用户喜欢飞书", "memory")
    said = recorder.record("user_message", f"{block}\n继续上次的任务", scope=HOME, parts=[{"type": "text", "content": f"{block}继续"}])
    recorder.record("user_message", f"{block}\n继续上次的任务", scope=HOME, parts=[{"type": "text", "content": f"{block}继续"}])
    only = recorder.record("system_message", block, scope=HOME)
    tool = recorder.record("tool_result", f"found: {block}", scope=HOME)
    about = recorder.record("user_message", "what is <beebread-memory> for?", scope=HOME)
    recorder.flush()
    assert shelf.event(said).text == "继续上次的任务"
    assert "飞书" not in str(shelf.event(said).parts)
    beside = shelf.event(f"{said}.memory")
    assert (beside.kind, beside.origin, beside.parent, beside.text) == ("memory_injected", "memory", said, "")
    assert (shelf.event(only).kind, shelf.event(only).origin, shelf.event(only).text) == ("memory_injected", "memory", "")
    assert (shelf.event(tool).kind, shelf.event(tool).origin) == ("tool_result", "memory")
    assert (shelf.event(about).kind, shelf.event(about).origin) == ("user_message", "human")
    assert not [event for event in shelf.events if event.origin == "human" and "飞书" in event.text]
    assert len(shelf.events) == 5


def test_a_closed_recorder_can_be_closed_again(recording: Recording) -> None:
    recorder: Recorder = recording()
    recorder.close()
    recorder.close()
    recorder.flush()


def test_what_is_remembered_of_sessions_has_its_bounds(recording: Recording, shelf: Shelf) -> None:
    recorder = recording(buffer_events=100_000, flush_events=100_000)
    shelf.keeping = {"first", "late", "anew", "again"}
    recorder.record("tool_call", scope=HOME, tool=Tool("f", "first"), id="first")
    for turn in range(OPEN_CALLS):
        recorder.record("tool_call", scope=HOME, tool=Tool("f", f"c{turn}"), actor=f"agent {turn}")
    recorder.record("tool_result", "太晚", scope=HOME, tool=Tool("f", "first"), id="late")
    for turn in range(REMEMBERED + 1):
        recorder.record("thought", f"{turn}", scope=HOME, id=f"n{turn}")
    for turn in range(SESSIONS + 1):
        recorder.record("thought", "x", scope=Scope(tenant="acme", user="u1", session=f"many {turn}"))
    recorder.record("thought", "又来", scope=HOME, id="anew")
    recorder.flush()
    assert ("first", "requested_by") not in edges(shelf.event("late"))
    assert shelf.event("anew").seq == 1
    assert recorder.counters()["rejected"] == 0


def test_a_step_is_never_its_own_parent_or_cause(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    with step("call"):
        recorder.record("tool_call", scope=HOME, id="call", tool="f")
        inner = recorder.record("thought", "内", scope=HOME)
    recorder.flush()
    assert (shelf.event("call").parent, shelf.event("call").causes) == ("", ())
    assert shelf.event(inner).parent == "call"


def test_injected_text_is_recognised() -> None:
    block = fence("预算五百")
    assert is_injected(f"说 {block}")
    assert not is_injected("说预算五百")
    assert taken_apart(f"说 {block} 完") == ("说\n完", ("预算五百",))
    assert taken_apart("什么都没有") == ("什么都没有", ())
