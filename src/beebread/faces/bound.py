"""What Client and AsyncClient share: opening a memory, binding it to who asks, and recording, which never waits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Self, TypeVar, Unpack

import msgspec

from beebread import policy
from beebread.capture import Details, storable
from beebread.clock import Clock, parse_time, parse_zone
from beebread.errors import Invalid, shown
from beebread.faces.embedded import Home
from beebread.model import Actor, ModelCall, Principal, Query, Scope, new_id
from beebread.models import Embed
from beebread.ports import Redact, TokenCount
from beebread.service import Service

When = datetime | str | None
SAID = ("text", "system", "args", "value")
"""What in a request is content; all else names something."""
T = TypeVar("T", bound=msgspec.Struct)


class _Marks(msgspec.Struct, frozen=True):
    tz: str
    environment: dict[str, str]


class Bound:
    """A memory, seen by one principal; `bind` gives the same memory to a user, agent, session or task.

    `home` is a folder, created on first use and safe for many processes (default: BEEBREAD_HOME, else ~/.beebread). `store` is a store
    URL. `embedder` is an embedder's URL, or a function from texts to vectors. `tokens` counts tokens ('estimate', or a callable).
    `redact` takes what must not be kept out of every text; on its own work it must change nothing more. `on_pressure` is told the share
    of the recording buffer in use when it runs full. Other names are those of `Settings`. Embedded, you are the credential: the unbound
    client is the folder's administrator.
    """

    def __init__(
        self,
        home: str | Path | None = None,
        *,
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
        self._home = Home.open(home, store=store, embedder=embedder, clock=clock, redact=redact, on_pressure=on_pressure, **settings)
        self._who = Principal(roles=("admin", "self"), clearance=3)
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
        wish = made(
            Principal,
            {
                "tenant": tenant, "user": user, "agent": agent, "session": session, "task": task, "groups": groups, "kinds": kinds,
                "private": private, "clearance": 0 if clearance is None else clearance,
            },
            "binding",
        )  # fmt: skip
        if "\0" in "".join((tenant, user, agent, session, task, *groups)):
            raise Invalid("a binding with a NUL in a name: some engines drop it, and then it is another name")
        marks = made(_Marks, {"environment": {} if environment is None else environment, "tz": tz}, "binding")
        free = not self._who.user
        level = clearance if clearance is not None else (0 if free and user else self._who.clearance)
        if not 0 <= level <= 3:
            raise Invalid(f"clearance {level} is out of range: use 0 to 3")
        if private and not (agent or self._who.agent):
            raise Invalid("private=True needs an agent: bind(agent='…', private=True)")
        if tz:
            parse_zone(tz)
        bound = object.__new__(type(self))
        bound.__dict__.update(self.__dict__)
        bound._who = policy.narrowed(self._who, msgspec.structs.replace(wish, clearance=level))
        bound._tz = tz or self._tz
        bound._environment = {**self._environment, **marks.environment}
        return bound

    @property
    def home(self) -> str:
        """The folder that everything local is kept in."""
        return str(self._home.settings.folder)

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


def moment(value: When, name: str) -> datetime | None:
    """A time as given, read and checked; `name` is what a message calls it."""
    return None if value is None else parse_time(value, name)


def name_of(value: object) -> str:
    """`value` as the name of something, which need not be a name that anything has; Invalid for what is no text."""
    if not isinstance(value, str):
        raise Invalid(f"an id or key is text, not {shown(value)}")
    return value


def times(options: Mapping[str, Any]) -> dict[str, Any]:
    """`options` with every time in them read and checked."""
    names = ("at", "after", "before", "as_of", "known_at", "now", "valid_from", "valid_to", "expires_at", "start")
    return {name: moment(value, name) if name in names else value for name, value in options.items()}


def made(kind: type[T], given: dict[str, Any], what: str) -> T:
    """A request of `kind`; Invalid for a name that it does not have, a value of the wrong form, or one that no engine can keep.

    What is said may hold any character, and is made storable.
    """
    unknown = sorted(set(given) - set(kind.__struct_fields__))
    if unknown:
        raise Invalid(f"unknown {what}: {', '.join(unknown)}; known are {', '.join(kind.__struct_fields__)}")
    try:
        request = msgspec.convert({name: storable(value) if name in SAID else value for name, value in given.items()}, kind)
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError) as error:
        raise Invalid(f"{what} of the wrong form: {error}") from None
    try:
        msgspec.json.encode(request)
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(f"{what} that is no JSON: {error}") from None
    return request
