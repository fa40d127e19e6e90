#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""late.py PORT FROM_MS TO_MS COUNTS: what a host sends and receives comes late.

Connections that nft redirects to PORT go on to where they were meant for.  Each piece waits so long, at
random, and no piece passes an earlier one of its direction: a link that is slow and uneven, and still TCP.
COUNTS gets "PIECES BYTES" of both directions, again and again.
"""
import asyncio
import random
import socket
import struct
import sys

SO_ORIGINAL_DST = 80
SO_MARK = 36
PASSES = 7  # the mark that the redirecting rule lets through

port, from_ms, to_ms, path = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
counts = [0, 0]


async def pass_on(reader, writer):
    queue = asyncio.Queue(1000)

    async def write():
        while True:
            due, data = await queue.get()
            await asyncio.sleep(max(0, due - asyncio.get_running_loop().time()))
            if not data:
                break
            writer.write(data)
            await writer.drain()

    last = 0
    task = asyncio.ensure_future(write())
    try:
        while not task.done():
            data = await reader.read(65536)
            last = max(last, asyncio.get_running_loop().time() + random.uniform(from_ms, to_ms) / 1000)
            await queue.put((last, data))
            counts[0] += bool(data)
            counts[1] += len(data)
            if not data:
                break
        await task
    except OSError:
        task.cancel()
    writer.close()


async def on_connection(reader, writer):
    there = struct.unpack("!HH4s8x", writer.get_extra_info("socket").getsockopt(socket.SOL_IP, SO_ORIGINAL_DST, 16))
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, SO_MARK, PASSES)
    s.setblocking(False)
    try:
        await asyncio.wait_for(asyncio.get_running_loop().sock_connect(s, (socket.inet_ntoa(there[2]), there[1])), 5)
        far = await asyncio.open_connection(sock=s)
    except (OSError, asyncio.TimeoutError):
        s.close()
        writer.transport.abort()
        return
    await asyncio.gather(pass_on(reader, far[1]), pass_on(far[0], writer), return_exceptions=True)


async def main():
    await asyncio.start_server(on_connection, "0.0.0.0", port)
    while True:
        with open(path, "w", encoding="ascii") as out:
            print(*counts, file=out)
        await asyncio.sleep(0.5)


asyncio.run(main())
