"""What Client and AsyncClient share: opening a memory, binding it to who asks, and recording, which never waits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack

import msgspec

from beebread import policy
from beebread.capture import Details
from beebread.clock import Clock, parse_zone
from beebread.errors import Invalid, shown
from beebread.faces.binding import narrowed
from beebread.faces.embedded import Home
from beebread.faces.requests import made, times
from beebread.model import Actor, ModelCall, Principal, Query, Scope, new_id
from beebread.models import Embed
from beebread.ports import Redact, TokenCount
from beebread.service import Service
from beebread.settings import variable

if TYPE_CHECKING:
    from beebread.faces.remote import Remote


class _Marks(msgspec.Struct, frozen=True):
    tz: str
    environment: dict[str, str]


class Bound:
    """A memory, seen by one principal; `bind` gives the same memory to a user, agent, session or task.

    `home` is a folder, created on first use and safe for many processes (default: BEEBREAD_HOME, else ~/.beebread), or the address of a
    server (http://…), to which `token` is shown (default: BEEBREAD_TOKEN). `store` is a store URL. `embedder` is an embedder's URL, or a
    function from texts to vectors. `tokens` counts tokens ('estimate', or a callable). `redact` takes what must not be kept out of every
    text; on its own work it must change nothing more. `on_pressure` is told the share of the recording buffer in use when it runs full.
    Other names are those of `Settings`. Embedded, you are the credential: the unbound client is the folder's administrator.
    """

    def __init__(
        self,
        home: str | Path | None = None,
        *,
        token: str = "",
        store: str | None = None,
        embedder: str | Embed | None = None,
        tokens: Literal["estimate"] | TokenCount = "estimate",
        clock: Clock | None = None,
        redact: Redact | None = None,
        on_pressure: Callable[[float], None] | None = None,
        **settings: object,
    ) -> None:
        if tokens != "estimate" and not callable(tokens):
            raise Invalid("tokens must be 'estimate' or a function from text to a number of tokens")
        self._home: Home | Remote = (
            _remote(home, token, store or embedder, clock=clock, redact=redact, on_pressure=on_pressure, **settings)
            if isinstance(home, str) and home.startswith(("http://", "https://"))
            else Home.open(home, store=store, embedder=embedder, clock=clock, redact=redact, on_pressure=on_pressure, **settings)
        )
        self._who = self._home.who
        self._count: TokenCount | None = None if tokens == "estimate" else tokens
        self._tz = ""
        self._environment: dict[str, str] = {}

    def bind(
        self,
        *,
        user: str = "",
        agent: str = "",
        session: str = "",
        task: str = "",
        tenant: str = "",
        groups: Sequence[str] = (),
        clearance: int | None = None,
        kinds: Sequence[str] | None = None,
        private: bool = False,
        tz: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> Self:
        """The same memory as seen by this user, agent, session and task; can only narrow what the present binding may do.

        `agent` says who acts and restricts nothing, unless `private`: then what it writes is that agent's alone. A user is bound with
        clearance 0 unless more is given. `tz` is the zone in which relative time is counted; `environment` marks what is recorded.
        """
        wish: dict[str, Any] = {
            "tenant": tenant, "user": user, "agent": agent, "session": session, "task": task, "groups": groups, "kinds": kinds,
            "private": private, "clearance": clearance,
        }  # fmt: skip
        marks = made(_Marks, {"environment": {} if environment is None else environment, "tz": tz}, "binding")
        if tz:
            parse_zone(tz)
        who = narrowed(self._who, wish)
        bound = object.__new__(type(self))
        bound.__dict__.update(self.__dict__)
        bound._who = who
        bound._tz = tz or self._tz
        bound._environment = {**self._environment, **marks.environment}
        return bound

    @property
    def home(self) -> str:
        """The folder that everything local is kept in, or the address of the server."""
        return self._home.where

    @property
    def operations(self) -> tuple[Service, Principal]:
        """The operations themselves and who asks, for a face of another kind."""
        return self._home.service, self._who

    @property
    def served(self) -> Home:
        """The opened memory itself, for a server that makes its own principals."""
        if not isinstance(self._home, Home):
            raise Invalid("a memory on a server is served by that server: give a folder")
        return self._home

    # ------------------------------------------------------------------ capture

    @property
    def pressure(self) -> float:
        """The share of the recording buffer in use: from 0.75 on producers had better slow down, at 1 and above it is full."""
        return self._home.recorder.pressure

    def record(self, kind: str, content: Any = "", *, space: str = "private", sensitivity: int = 0, **details: Unpack[Details]) -> str:
        """Record one step of a run and return its id at once; `flush` makes sure that it is durable.

        `content` is text, or JSON that is kept as its text. `causes` are ids, or (id, relation) pairs; when none are given, the order of
        the session says what came of what. The same `id`, or the same content with the same causes, twice is stored once. The other
        `details` are those of `capture.Details`. Raises Invalid for what makes no sense (an unknown kind, a naive time); never waits
        for the store and never raises for it.
        """
        scope = policy.scope_for(self._who, space=space, sensitivity=sensitivity)
        if space != "private" or sensitivity != 0:
            made(Scope, msgspec.structs.asdict(scope), "part of a scope")
        policy.may_write(self._who, scope)
        details.setdefault("actor", Actor(self._who.agent))
        details.setdefault("environment", self._environment)
        return self._home.recorder.record(kind, content, scope=scope, **details)

    def record_call(
        self,
        messages: Iterable[Mapping[str, Any]],
        output: Mapping[str, Any] | Sequence[Mapping[str, Any]] = (),
        *,
        model: ModelCall | Mapping[str, Any] | str = "",
        conversation: str = "",
        status: str = "ok",
    ) -> str:
        """Record one model call of an agent of your own, in one line, and return the id of its model_call event.

        `messages` is what the model was sent, with the whole history as chat APIs want it (OpenAI or Anthropic shape): only what is new
        in it is kept, tool results are joined to their calls, and remembered text inside it is not taken for the user's words. `output`
        is the message, or messages, that the model answered; `status` partial says that it broke off. `conversation` tells several
        agents of a session apart.
        """
        for given in (messages, output):
            if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise Invalid(f"messages and output are lists of messages, each an object with role and content, not {shown(given)}")
        if not isinstance(conversation, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not all typed
            raise Invalid(f"conversation must be text, not {shown(conversation)}")
        scope = policy.scope_for(self._who)
        policy.may_write(self._who, scope)
        ledger, recorder = self._home.ledger(scope), self._home.recorder
        common = Details(actor=Actor(self._who.agent), environment=self._environment)
        call = new_id()
        found = ledger.call(messages, call, conversation=conversation)
        for step in found.new:
            recorder.record(step.kind, step.text, scope=scope, **{**common, **step.details()})
        recorder.record("model_call", scope=scope, **{**common, "id": call, "causes": found.causes, "model": model, "status": status})
        for step in ledger.output(output, call, conversation=conversation, status=status):
            recorder.record(step.kind, step.text, scope=scope, **{**common, **step.details()})
        return call

    @property
    def _service(self) -> Service:
        return self._home.service

    def _query(self, text: str, options: Mapping[str, Any]) -> Query:
        given = {"tz": self._tz, **times(options)}
        return made(Query, {"text": text, **given}, "option of a query")


def _remote(url: str, token: str, plug: object, **options: Any) -> Remote:
    """The memory on a server. Invalid for what only an opened folder can have."""
    if plug is not None:
        raise Invalid("a server has its own store and embedder: leave store= and embedder= out")
    from beebread.faces.remote import Remote  # it needs httpx, which an embedded memory does without

    return Remote.open(url, token=token or variable("BEEBREAD_TOKEN"), **options)
