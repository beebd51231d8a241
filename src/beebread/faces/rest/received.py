"""Bodies as they arrive: bounded in size and time, gzip unpacked; whole, or line by line."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator

from starlette.requests import Request

from beebread.faces.rest.answered import Refused
from beebread.faces.rest.options import ServerOptions


async def parts(request: Request, options: ServerOptions) -> AsyncIterator[bytes]:
    """The body in parts, unpacked. Raises Refused: 415 a coding not known, 400 a damaged one, 408 a client too slow."""
    coding = request.headers.get("content-encoding", "identity").lower()
    if coding not in ("identity", "gzip"):
        raise Refused(415, f"content-encoding {coding[:40]!r} is not known: use gzip or none")
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 16) if coding == "gzip" else None
    stream = aiter(request.stream())
    while True:
        try:
            async with asyncio.timeout(options.patience):
                part = await anext(stream, None)
        except TimeoutError:
            raise Refused(408, f"the rest of the body did not come within {options.patience:g} seconds") from None
        if part is None:
            break
        while part:
            if unpack is None:
                yield part
                break
            try:
                made = unpack.decompress(part, options.body + 1)
            except zlib.error as error:
                raise Refused(400, f"the body is no gzip: {error}") from None
            yield made
            part = unpack.unconsumed_tail
    if unpack is not None and not unpack.eof:
        raise Refused(400, "the body is no gzip: it ends too early")


async def whole(request: Request, options: ServerOptions) -> bytes:
    """The whole body. Raises Refused (413) when it is too large."""
    if int(request.headers.get("content-length") or 0) > options.body:
        raise too_large(options)
    found = bytearray()
    async for part in parts(request, options):
        found += part
        if len(found) > options.body:
            raise too_large(options)
    return bytes(found)


async def lines(request: Request, options: ServerOptions) -> AsyncIterator[bytes]:
    """The body's lines that hold anything. Raises Refused (413) for a line that is too long."""
    rest = b""
    async for part in parts(request, options):
        *done, rest = (rest + part).split(b"\n")
        for line in done:
            if line.strip():
                yield line
        if len(rest) > options.body:
            raise too_large(options)
    if rest.strip():
        yield rest


def too_large(options: ServerOptions) -> Refused:
    """What is said of a body that is too large."""
    return Refused(413, f"a body, or a line of a stream, takes at most {options.body} bytes: send less at once")
