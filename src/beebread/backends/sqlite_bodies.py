"""How the SQLite engine keeps a record's JSON: deflated with a dictionary of what all records say alike, or plain where that is no longer.

The first byte tells: `{` begins plain JSON, as everything did up to schema version 3; another is the number of the dictionary, and raw
deflate (RFC 1951) follows. A record is half names of fields and half words; alone it is too short for deflate to learn the names from.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping

DICTIONARIES: Mapping[int, bytes] = {
    # What is frequent stands last, where it takes the fewest bits to point at.
    1: b'"params":{"usage":{"in":,"out":,"cost":0.0},"model":{"provider":"environment":{"superseded_by":"closed_at":"valid_to":"'
    b'"importance":"trust":"model","version":2,"kind":"fact","preference","evidence":{"sources":["quote":"","confidence":0.9,"value":"'
    b'"key":"entities":["valid_from":"{"type":"memory","id":"{"type":"session","id":"session-"last_at":"actor":{},"events":2,'
    b'"kinds":{"user_message":4,"thought":4,"tool_call":4,"tool_result":4,"assistant_message":4},"cost":0.0}"space":"shared","tenant":"'
    b'"agent":"task":"status":"error","error":{"message":"Error: "parent":"relation":"requested_by"}],"tags":["source":{"framework":"'
    b'"version":"native_id":"parts":[{"type":"text","content":"tool":{"name":"","call_id":"call_","args":{"'
    b'"origin":"human","tool","speaker":"","kind":"tool_result","kind":"tool_call","kind":"thought","kind":"assistant_message",'
    b'"origin":"model","actor":{"id":"","name":"{"type":"event","id":"","scope":{"user":"","session":""},"kind":"user_message",'
    b'"at":"2026-01-01T00:00:00.000000Z","origin":"import","recorded_at":"2026-01-01T00:00:00.000000Z","seq":1,"causes":[{"id":""}],'
    b'"text":"","dedup_key":"id:"}',
}
"""Dictionaries by number. A published one is never changed, nor is it taken away; a better one is the next number."""

NEWEST = max(DICTIONARIES)
_PLAIN = ord("{")
_LEVEL = 4  # higher ones take half a byte off a record of usual length, and a tenth more time
_SHORT = 4096  # up to here a window of 4 KiB sees everything; a larger one takes longer to make than the record to deflate


def packed(body: bytes) -> bytes:
    """The JSON of a record as it is kept."""
    window, memory = (-12, 6) if len(body) <= _SHORT else (-zlib.MAX_WBITS, 8)
    deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, window, memory, zlib.Z_DEFAULT_STRATEGY, DICTIONARIES[NEWEST])
    kept = b"%c%b%b" % (NEWEST, deflate.compress(body), deflate.flush())
    return kept if len(kept) < len(body) else body


def unpacked(kept: bytes) -> bytes:
    """The JSON of a record that is kept so; zlib.error for what is damaged."""
    if kept[0] == _PLAIN:
        return kept
    inflate = zlib.decompressobj(-zlib.MAX_WBITS, DICTIONARIES[kept[0]])
    return inflate.decompress(kept[1:])
