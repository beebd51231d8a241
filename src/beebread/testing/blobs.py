"""The Blobs contract: bodies by owner and content."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from beebread.errors import NotFound
from beebread.model import new_id, user_owner
from beebread.ports import Blobs
from beebread.testing.scene import holds, refused, same

BlobCheck = Callable[[Blobs], Coroutine[Any, Any, None]]
BODIES = (b"", b"\0", b"giraffe " * 1000, "长颈鹿".encode(), bytes(range(256)) * 5000)


def two_owners() -> tuple[str, str]:
    """Two owners that nobody else has, the name of one beginning with the other's."""
    tenant = f"scene-{new_id()}"
    return user_owner(tenant, "john"), user_owner(tenant, "john-doe")


async def kept_as_given(blobs: Blobs) -> None:
    """Bodies of every size and content come back byte for byte."""
    ann, _ = two_owners()
    refs = [await blobs.put(ann, body) for body in BODIES]
    same(len(set(refs)), len(BODIES), "references of different bodies")
    for ref, body in zip(refs, BODIES, strict=True):
        holds(await blobs.get(ann, ref) == body, f"a body of {len(body)} bytes is not as it was given")


async def same_content_same_ref(blobs: Blobs) -> None:
    """The same bytes of one owner have one reference, and one deletion removes them."""
    ann, _ = two_owners()
    ref = await blobs.put(ann, b"once")
    same(await blobs.put(ann, b"once"), ref, "the reference of the same bytes")
    await blobs.delete(ann, ref)
    await refused(blobs.get(ann, ref), NotFound, "what was deleted")
    same(await blobs.put(ann, b"once"), ref, "kept again")
    same(await blobs.get(ann, ref), b"once", "kept again")


async def foreign_is_not_found(blobs: Blobs) -> None:
    """Another owner's reference, an unknown one and a path are NotFound alike; the same bytes of two owners are two bodies."""
    ann, bob = two_owners()
    ref = await blobs.put(ann, b"ann's secret")
    foreign = await refused(blobs.get(bob, ref), NotFound, "another owner's reference")
    unknown = await refused(blobs.get(bob, ref[::-1]), NotFound, "an unknown reference")
    same(str(foreign).replace(ref, "…"), str(unknown).replace(ref[::-1], "…"), "what a foreign and an unknown reference say")
    for strange in ("", ".", "..", f"../{ref}", f"{ann}/{ref}", "/etc/hostname", "*", "%", "a\0b", "\ud800", ref + "/"):
        await refused(blobs.get(bob, strange), NotFound, f"reference {strange!r}")
    theirs = await blobs.put(bob, b"ann's secret")
    await blobs.delete(bob, theirs)
    same(await blobs.get(ann, ref), b"ann's secret", "ann's, after bob deleted the same bytes of his")
    await blobs.delete(bob, ref)
    same(await blobs.get(ann, ref), b"ann's secret", "ann's, after bob tried to delete it")


async def delete_all(blobs: Blobs) -> None:
    """Deleting without a reference removes all of one owner's; what is not there is no error."""
    ann, bob = two_owners()
    refs = [await blobs.put(ann, body) for body in BODIES[:3]]
    kept = await blobs.put(bob, b"bob's")
    await blobs.delete(ann, None)
    for ref in refs:
        await refused(blobs.get(ann, ref), NotFound, "what was deleted with all")
    same(await blobs.get(bob, kept), b"bob's", "the other owner's")
    for ref in (refs[0], "none", None):
        await blobs.delete(ann, ref)
    holds(kept, "a reference is not empty")


BLOB_CHECKS: dict[str, BlobCheck] = {
    check.__name__: check for check in (kept_as_given, same_content_same_ref, foreign_is_not_found, delete_all)
}
