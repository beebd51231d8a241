"""From the setting `embedder` to an open embedder: a table of URL schemes, then what other packages offer; and its reranker."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import NamedTuple

from beebread.errors import Invalid
from beebread.models.cached import Cached
from beebread.models.function import Embed, FunctionEmbedder
from beebread.ports import Embedder, Reranker
from beebread.settings import Settings

GROUP = "beebread.embedders"  # entry points by which another package offers an embedder under its URL scheme
OpenEmbedder = Callable[[str, Settings], Embedder]


class Provider(NamedTuple):
    """Where the opener of a provider is, the packages that it imports, and how to install them."""

    opener: str
    packages: tuple[str, ...] = ()
    install: str = ""


LOCAL = "pip install 'beebread[local]'"
HTTP = "pip install 'beebread[http]'"
PROVIDERS = {
    "builtin": Provider("beebread.models.e5:open_builtin", ("numpy", "onnxruntime", "sentencepiece", "platformdirs"), LOCAL),
    "onnx": Provider("beebread.models.onnx_folder:open_onnx", ("numpy", "onnxruntime", "sentencepiece"), LOCAL),
    "openai": Provider("beebread.models.endpoint:open_openai", ("httpx",), HTTP),
    "ollama": Provider("beebread.models.endpoint:open_ollama", ("httpx",), HTTP),
    "sentence-transformers": Provider(
        "beebread.models.sentence_transformers:open_sentence_transformers", ("sentence_transformers",), "pip install sentence-transformers"
    ),
    "fastembed": Provider("beebread.models.fastembed:open_fastembed", ("fastembed",), "pip install fastembed"),
    "hashing": Provider("beebread.models.hashing:open_hashing"),
}


class Opened(NamedTuple):
    """An embedder, or None and why: '' where none was wanted."""

    embedder: Embedder | None
    reason: str = ""


def open_embedder(wanted: str | Embed, settings: Settings) -> Opened:
    """What `wanted` names: a URL, a function from texts to vectors, 'none', or 'auto' for the built-in one where it is installed.

    Opening is quick: no model is loaded, no server asked. Raises Invalid for an unknown scheme and for a missing package, with the command
    that installs it.
    """
    if not isinstance(wanted, str):
        return Opened(FunctionEmbedder(wanted))
    if wanted in {"", "none"}:
        return Opened(None)
    if wanted == "auto":
        reason = _no_builtin(settings)
        if reason:
            return Opened(None, reason)
        wanted = "builtin://"
    scheme = wanted.partition("://")[0] if "://" in wanted else ""
    return Opened(_opener(scheme)(wanted, settings))


def open_reranker(embedder: Embedder | None) -> Reranker | None:
    """The reranker that works on the embedder's own vectors of tokens, where it has them; through a Cached as well."""
    inner = embedder.inner if isinstance(embedder, Cached) else embedder
    if not hasattr(inner, "token_vectors"):
        return None
    return resolve_name("beebread.models.maxsim:MaxSim")(inner)


def _lacking(provider: Provider) -> list[str]:
    return [package for package in provider.packages if find_spec(package) is None]


def _no_builtin(settings: Settings) -> str:
    """Why the built-in embedder cannot be had; '' when it can."""
    lacking = _lacking(PROVIDERS["builtin"])
    if not lacking and not resolve_name("beebread.models.e5_cache:available")(settings.models):
        lacking = ["the package with the model's weights"]
    return f"no search by meaning: {', '.join(lacking)} not installed; {LOCAL}" if lacking else ""


def _opener(scheme: str) -> OpenEmbedder:
    provider = PROVIDERS.get(scheme)
    if provider is not None:
        lacking = _lacking(provider)
        if lacking:
            raise Invalid(f"the embedder {scheme}:// needs {', '.join(lacking)}, which is not installed: {provider.install}")
        return resolve_name(provider.opener)
    offered = entry_points(group=GROUP)
    if scheme in offered.names:
        return offered[scheme].load()
    known = sorted({*PROVIDERS, *offered.names})
    raise Invalid(
        f"there is no embedder for {scheme or 'a URL without a scheme'}://: "
        f"use auto, none, or one of {', '.join(f'{name}://' for name in known)}"
    )
