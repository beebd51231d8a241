"""Every directed check of the Index contract by name; a check takes an open store with its vectors and raises AssertionError."""

from __future__ import annotations

from beebread.testing import index_contexts, index_keep, index_search
from beebread.testing.index_search import IndexCheck

INDEX_CHECKS: dict[str, IndexCheck] = {
    f"index.{check.__name__}": check for module in (index_keep, index_contexts, index_search) for check in module.CHECKS
}
