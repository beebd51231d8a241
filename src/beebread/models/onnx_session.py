"""An ONNX model ready to run: few threads that do not spin, nothing sent anywhere, and one kind of error."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import onnxruntime

from beebread.errors import Unavailable

_STATE: dict[str, Any] = vars(import_module("onnxruntime.capi.onnxruntime_pybind11_state"))
# The library's own errors have no class in common.
ERRORS: tuple[type[Exception], ...] = (
    *(kind for kind in _STATE.values() if isinstance(kind, type) and issubclass(kind, Exception)),
    RuntimeError, ValueError, OSError,
)  # fmt: skip


def open_session(model: str | bytes, threads: int, what: str) -> Any:
    """The onnxruntime session of `model`, a path or the bytes; Unavailable, naming `what`, when it does not load."""
    library: Any = onnxruntime
    library.disable_telemetry_events()
    options = library.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    for part in ("intra", "inter"):  # a waiting thread that spins takes the processor from everyone else
        options.add_session_config_entry(f"session.{part}_op.allow_spinning", "0")
    try:
        return library.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except ERRORS as error:
        raise Unavailable(f"{what} does not load with onnxruntime {library.__version__}: {str(error)[:200]}") from None
