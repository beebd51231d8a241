"""The recorder: a plain function that never waits for the store and never fails the host because of it, and the flusher behind it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any, Unpack

from beebread.capture import lifetime
from beebread.capture.apart import put_apart
from beebread.capture.delivery import Delivery, Entry, Fault, Rejected, Sent
from beebread.capture.draft import Details, known_kind, told
from beebread.capture.intake import Intake
from beebread.capture.spill import Spill
from beebread.capture.waiting import answer, running_loop
from beebread.clock import Clock, SystemClock
from beebread.errors import BeebreadError, Invalid, Unavailable
from beebread.model import Event, Scope
from beebread.ports import Redact
from beebread.settings import Settings
from beebread.text.fence import TAG

SendEvents = Callable[[tuple[Event, ...], dict[str, str]], Awaitable[Sent]]
"""The durable append: events, and the ids of folded events with the id that stands for each."""
SOFT = 0.75
"""The share of the buffer above which producers are told and low-priority events are dropped."""
FIRST_DELAY, LONGEST_DELAY = 0.05, 5.0
"""Seconds between two tries while the store is away; each is twice the one before."""
_MARK = f"<{TAG}"


class Recorder:
    """Takes in what happens and hands it to `send` in batches, from a thread of its own.

    `send` runs on `loop`, or on a loop of that thread. `redact` masks text before it is sent or spilled. `spill` is where events wait
    while the store is away; without it they wait in memory. `on_pressure` is called with the share of the buffer in use when it passes
    SOFT, and again when it is below half of that.
    """

    def __init__(
        self, send: SendEvents, *, settings: Settings | None = None, clock: Clock | None = None, redact: Redact | None = None,
        spill: Spill | None = None, loop: asyncio.AbstractEventLoop | None = None, on_pressure: Callable[[float], None] | None = None,
    ) -> None:  # fmt: skip
        self._settings = settings or Settings()
        self._now = (clock or SystemClock()).now
        self._send, self._loop, self._redact, self._spill, self._on_pressure = send, loop, redact, spill, on_pressure
        self._soft = max(1, int(self._settings.buffer_events * SOFT))
        self._reset()
        lifetime.watch(self)

    def _reset(self) -> None:
        self._intake = Intake(self._now, self._ready)
        self._delivery = Delivery(self._send_now, self._settings.flush_events, self._settings.fold_ms, self._redact, self._spill)
        self._lock = threading.Lock()
        self._ending = threading.Lock()
        self._wake = threading.Event()
        self._buffer: deque[Entry] = deque()
        self._tickets: list[Future[None]] = []
        self._thread: threading.Thread | None = None
        self._runner: asyncio.Runner | None = None
        self._recorded = self._faults = 0
        self._busy = self._pressed = self._closing = self._closed = False
        self._looked = self._spill is None  # for what earlier processes left on disk
        self._retry_at = self._delay = 0.0
        self._trouble = ""

    # ------------------------------------------------------------ recording

    def record(self, kind: str, text: object = "", *, scope: Scope, **details: Unpack[Details]) -> str:
        """Record that something happened and return its event id; never waits, never raises because of the store.

        Raises Invalid, at once, for arguments that make no event (an unknown kind, a naive time): those are the caller's own.
        The id is the caller's; else it is made from the framework's native id; else, where causes or `at` are given, from session, kind,
        content, causes and `at`, so that the same thing is kept once however often it is recorded. With none of these it is new, unless
        the session's last event says the same and is not two seconds old: then it is that event's. Remembered text inside a message is
        recorded apart, as a `memory_injected` event without its words.
        """
        kind = known_kind(kind)
        words, fields = told(kind, text, details)
        if _MARK in words:
            return put_apart(self._put, kind, words, scope, fields)
        return self._put(kind, words, scope, fields)[0]

    def draft(self, kind: str, text: object = "", *, scope: Scope, **details: Unpack[Details]) -> list[Event]:
        """The event that `record` would keep, with what it would keep beside it, for who keeps them himself. Raises as it does."""
        found: list[Event] = []

        def put(kind: str, words: str, scope: Scope, fields: dict[str, Any]) -> tuple[str, bool]:
            event, _, again = self._intake.event(kind, words, scope, fields)
            found.append(event)
            return event.id, again

        kind = known_kind(kind)
        words, fields = told(kind, text, details)
        if _MARK in words:
            put_apart(put, kind, words, scope, fields)
        else:
            put(kind, words, scope, fields)
        return found

    def record_quietly(self, kind: str, text: object = "", *, scope: Scope, **details: Unpack[Details]) -> str:
        """`record` for hooks inside somebody else's program: whatever is wrong is counted as a fault, and '' is returned."""
        try:
            return self.record(kind, text, scope=scope, **details)
        except Exception:
            self._faults += 1
            return ""

    def _put(self, kind: str, words: str, scope: Scope, fields: dict[str, Any]) -> tuple[str, bool]:
        """Record; the event's id, and whether it was seen before."""
        if self._closed:
            raise Invalid("the recorder is closed: record before close()")
        event, made, again = self._intake.event(kind, words, scope, fields)
        entry = Entry(event, made)
        with self._lock:
            if self._closed:  # by now; what close() no longer sends must not look recorded
                raise Invalid("the recorder is closed: record before close()")
            self._recorded += 1
            used = len(self._buffer) + self._delivery.held
            if used < self._soft:
                self._buffer.append(entry)
            waiting = len(self._buffer)
        if used >= self._soft:
            self._admit(entry, used)
        elif waiting in (1, self._settings.flush_events):
            self._rouse()
        return event.id, again

    def _admit(self, entry: Entry, used: int) -> None:
        """Take in an event while the buffer is nearly full, or over: low ones are dropped, others beyond its end go to disk at once."""
        event = entry.event
        self._press(used)
        if event.priority == "low":
            with self._lock:
                self._delivery.drop(event)
            return
        if used >= self._settings.buffer_events and self._overflow(event):
            return
        with self._lock:
            self._buffer.append(entry)
        self._rouse()

    def _overflow(self, event: Event) -> bool:
        """Whether an event that found the buffer full is dealt with: on disk or, where the disk refuses, dropped unless it is high."""
        try:
            self._delivery.shelter((self._ready(event),), sync=False)
        except Invalid as error:
            self._delivery.reject(event, str(error))
        except OSError as error:
            self._trouble = str(error)
            if event.priority == "high":
                return False
            self._delivery.drop(event)
        return True

    def _press(self, used: int) -> None:
        pressed = used >= self._soft
        if pressed == self._pressed or (self._pressed and used > self._soft // 2):
            return
        self._pressed = pressed
        if self._on_pressure is not None:
            try:
                self._on_pressure(used / self._settings.buffer_events)
            except Exception:
                self._faults += 1

    def _ready(self, event: Event) -> Event:
        """`event` as it may leave memory; Invalid when it cannot be masked or stored, and then it goes nowhere."""
        try:
            return self._delivery.ready(event)
        except BeebreadError:
            raise
        except Exception as error:
            raise Invalid(f"event {event.id!r} could not be masked, so it is not kept: {error}", ids=(event.id,)) from error

    # ------------------------------------------------------------ state

    @property
    def pressure(self) -> float:
        """The share of the buffer in use; from SOFT on producers had better slow down, at 1 and above it is full."""
        return (len(self._buffer) + self._delivery.held) / self._settings.buffer_events

    @property
    def rejected(self) -> list[Rejected]:
        """The newest events that were set aside, with the reasons."""
        return list(self._delivery.rejected)

    @property
    def trouble(self) -> str:
        """Why the store, or the disk, did not take what was recorded last; '' while all is well."""
        return self._trouble

    def counters(self) -> dict[str, int]:
        """What became of events, by name.

        recorded, sent, duplicates (second sightings), folded, dropped_low, dropped (normal ones that neither memory nor disk had room
        for), spilled, replayed, rejected, buried (erased before), retries, damaged (half-written lines on disk), and faults that the host
        was spared.
        """
        names = ("sent", "duplicates", "folded", "dropped_low", "dropped", "spilled", "replayed", "rejected", "buried", "retries")
        damaged = self._spill.damaged if self._spill else 0
        return {
            "recorded": self._recorded, **{name: self._delivery.counts[name] for name in names}, "damaged": damaged, "faults": self._faults
        }  # fmt: skip

    # ------------------------------------------------------------ acknowledging

    def flush(self, timeout: float | None = None) -> None:
        """Return when everything recorded so far is kept by the store; at most `timeout` seconds, None for no limit.

        Raises Unavailable when the store does not take it: then it stays in memory or on disk, and is sent again. Events that were set
        aside do not hold it up. On the loop that `send` runs on, await `drain` instead.
        """
        ticket = self._ticket()
        if ticket is None:
            return
        if self._loop is not None and running_loop() is self._loop:
            raise Invalid("flush() would wait for its own loop: await drain() here")
        try:
            ticket.result(timeout)
        except TimeoutError:
            raise Unavailable(f"not everything was kept within {timeout} s: it is still being sent") from None

    async def drain(self, timeout: float | None = None) -> None:
        """`flush` for a loop: the same, without blocking it."""
        ticket = self._ticket()
        if ticket is None:
            return
        try:
            await asyncio.wait_for(asyncio.wrap_future(ticket), timeout)
        except TimeoutError:
            raise Unavailable(f"not everything was kept within {timeout} s: it is still being sent") from None

    def _ticket(self) -> Future[None] | None:
        with self._lock:
            if self._closed or (self._looked and not self._busy and not self._buffer and self._delivery.settled):
                return None
            ticket: Future[None] = Future()
            self._tickets.append(ticket)
        self._rouse()
        return ticket

    def close(self, timeout: float | None = None) -> None:
        """Send what is left, for at most `timeout` seconds, spill what could not be sent, and stop. Recording afterwards is Invalid.

        Raises Unavailable when something could be neither sent nor spilled.
        """
        with self._ending:
            if not self._closed:
                self._close(timeout)

    def _close(self, timeout: float | None) -> None:
        with self._lock:  # from here on no flusher starts
            self._closing, flusher = True, self._thread
        if flusher is not None:
            self._wake.set()
            flusher.join(timeout)
        with self._lock:
            self._closed = True
            tickets, self._tickets = self._tickets, []  # of those who came while the flusher took its last turn
        lifetime.unwatch(self)
        failure: Unavailable | None = None
        try:
            self._collect(urgent=True)
            if self._delivery.held:
                failure = Unavailable("closed before the store took everything: the rest waits on disk and is sent at the next start")
            self._delivery.shelter_pending(everything=True)
        except OSError as error:
            trouble = self._trouble or error
            failure = Unavailable(f"{self._delivery.held} recorded events could be neither kept nor spilled: {trouble}")
            raise failure from None
        finally:
            if self._spill is not None:
                self._spill.close()
            answer(tickets, failure)

    def after_fork(self) -> None:
        """Begin anew in a forked child: what the parent recorded, its files and its flusher stay the parent's."""
        if self._spill is not None:
            self._spill.after_fork()
        self._reset()

    # ------------------------------------------------------------ the flusher

    def _rouse(self) -> None:
        if self._thread is None:
            with self._lock:
                if self._thread is None and not self._closing:
                    thread = threading.Thread(target=self._run, name="beebread-recorder", daemon=True)
                    # At the very end of a program no thread starts any more; close() then puts everything on disk.
                    with contextlib.suppress(RuntimeError):
                        thread.start()
                        self._thread = thread
        self._wake.set()

    def _run(self) -> None:
        with asyncio.Runner() if self._loop is None else contextlib.nullcontext() as self._runner:
            closing = False
            while not closing:
                closing = self._pause()
                self._turn(urgent=closing)

    def _pause(self) -> bool:
        """Wait for something to do, then for more to go with it; whether it is time to close."""
        self._wake.wait(self._nap())
        self._wake.clear()
        if not (self._tickets or self._closing or len(self._buffer) >= self._settings.flush_events):
            self._wake.wait(self._settings.flush_ms / 1000)
            self._wake.clear()
        return self._closing

    def _nap(self) -> float | None:
        if self._tickets or self._closing or self._buffer:
            return 0
        if self._retry_at:
            return max(0.0, self._retry_at - time.monotonic())
        return self._settings.fold_ms / 1000 if self._delivery.held else None

    def _turn(self, *, urgent: bool) -> None:
        with self._lock:
            tickets, self._tickets = self._tickets, []
            self._busy = True
        failure: BaseException | None = None
        try:
            self._look_on_disk(again=bool(tickets))
            self._collect(urgent=urgent or bool(tickets))
            if urgent or tickets or time.monotonic() >= self._retry_at:
                self._delivery.deliver()
                self._retry_at = self._delay = 0.0
                self._trouble = ""
            else:
                self._delivery.shelter_pending()
        except Exception as error:
            failure = error if isinstance(error, Unavailable) else Fault(f"recording failed: {type(error).__name__}: {error}")
            self._put_off(str(failure))
        with self._lock:
            self._busy = False
        self._press(len(self._buffer) + self._delivery.held)
        answer(tickets, failure)

    def _look_on_disk(self, *, again: bool) -> None:
        if self._spill is not None and (again or not self._looked):
            self._spill.adopt()
        self._looked = True

    def _collect(self, *, urgent: bool) -> None:
        """Move what is in the buffer to the delivery, masked; what cannot be is set aside."""
        ready: list[Entry] = []
        with self._lock:
            taken = list(self._buffer)
            self._buffer.clear()
        for entry in taken:
            try:
                ready.append(Entry(self._ready(entry.event), entry.fresh))
            except Invalid as error:
                self._delivery.reject(entry.event, str(error))
        self._delivery.take_in(ready, None if urgent else self._now())

    def _put_off(self, reason: str) -> None:
        self._trouble = reason
        self._delay = min(max(self._delay * 2, FIRST_DELAY), LONGEST_DELAY)
        self._retry_at = time.monotonic() + self._delay
        try:
            self._delivery.shelter_pending()
        except OSError as error:  # it stays in memory
            self._trouble = f"{reason}; and the disk: {error}"

    def _send_now(self, events: tuple[Event, ...], aliases: dict[str, str]) -> Sent:
        """`send`, on its loop, with every failure as an error of ours."""

        async def sending() -> Sent:
            return await self._send(events, aliases)

        try:
            if self._loop is None:
                assert self._runner is not None
                return self._runner.run(sending())
            if self._loop.is_closed():
                raise Unavailable("the loop that recording was to send on is closed")
            future = asyncio.run_coroutine_threadsafe(sending(), self._loop)
            try:
                return future.result(self._settings.busy_ms / 1000 + LONGEST_DELAY)
            finally:
                future.cancel()
        except BeebreadError:
            raise
        except OSError as error:  # a time-out is one too
            raise Unavailable(f"the store cannot be reached: {type(error).__name__}: {error}") from error
        except Exception as error:
            raise Fault(f"the store failed: {type(error).__name__}: {error}") from error
