#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cut.py relay LISTEN TARGET GATE [ACCEPTED]: a network that can be cut, between programs on one machine.
cut.py node DIRECTORY HOST PROGRAM...: a node of `baro session run --launch`, whose control node is reached so.

LISTEN and TARGET are HOST:PORT, or the path of a unix socket. What is in the file GATE says how the network is:
no file: it works; "hold": what is sent waits, and so does who connects; "reset": each connection is closed; "mute":
what is sent arrives, and is responded to, but no response comes back. ACCEPTED gets each line that was sent and
responded to by "ok", whether or not the response went on.

A node has DIRECTORY/HOST.gate, its plugins from DIRECTORY/plugins.HOST, and its number in DIRECTORY/HOST.node.
"""
import asyncio
import os
import sys


class Relay:
    def __init__(self, target, gate, accepted):
        self.target, self.gate, self.accepted = target, gate, accepted

    def state(self):
        try:
            with open(self.gate, encoding="ascii") as text:
                return text.read().strip()
        except OSError:
            return ""

    async def passable(self):
        while self.state() == "hold":
            await asyncio.sleep(0.02)
        return self.state() != "reset"

    async def watch(self, writers):
        """Connections that are idle are reset, too."""
        while self.state() != "reset":
            await asyncio.sleep(0.02)
        for writer in writers:
            writer.transport.abort()

    async def forward(self, reader, writer, lines):
        """lines: of the request, until the response to each has come; None: this is the request's direction."""
        while data := await reader.read(65536):
            if not await self.passable():
                break
            self.note(data, lines)
            if lines[0] == "from" and self.state() == "mute":
                break
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()

    def note(self, data, lines):
        if not self.accepted:
            return
        if lines[0] == "to":
            lines[1] += data
            return
        for response in data.split(b"\n")[:-1]:
            line, _, lines[1][:] = bytes(lines[1]).partition(b"\n")
            if response == b"ok":
                with open(self.accepted, "ab") as out:
                    out.write(line + b"\n")

    async def connect(self):
        if "/" in self.target:
            return await asyncio.open_unix_connection(self.target)
        host, port = self.target.rsplit(":", 1)
        return await asyncio.open_connection(host, int(port))

    async def on_connection(self, reader, writer):
        far = None
        try:
            if not await self.passable():
                raise ConnectionResetError
            far = await self.connect()
            requests = bytearray()
            both = asyncio.gather(self.forward(reader, far[1], ["to", requests]),
                                  self.forward(far[0], writer, ["from", requests]))
            watch = asyncio.ensure_future(self.watch([writer, far[1]]))
            try:
                await both
            finally:
                watch.cancel()
        except OSError:
            writer.transport.abort()
        for end in (writer, far[1] if far else writer):
            end.close()

    async def serve(self, listen):
        """Returns the port, where it is one."""
        if "/" in listen:
            await asyncio.start_unix_server(self.on_connection, listen)
            os.chmod(listen, 0o666)
            return None
        host, port = listen.rsplit(":", 1)
        server = await asyncio.start_server(self.on_connection, host, int(port))
        return server.sockets[0].getsockname()[1]


async def relay(listen, target, gate, accepted=None):
    await Relay(target, gate, accepted).serve(listen)
    await asyncio.Event().wait()


async def node(directory, host, *program):
    lines = [sys.stdin.buffer.readline()]
    while lines[-1] not in (b"end\n", b""):
        lines.append(sys.stdin.buffer.readline())
    for i, line in enumerate(lines):
        key, _, value = line.decode().strip().partition(" = ")
        if key == "directory":
            lines[i] = f"directory = {directory}/plugins.{host}\n".encode()
        elif key == "control_address":
            port = await Relay(value, f"{directory}/{host}.gate", None).serve("127.0.0.1:0")
            lines[i] = f"control_address = 127.0.0.1:{port}\n".encode()
    child = await asyncio.create_subprocess_exec(*program, stdin=asyncio.subprocess.PIPE)
    child.stdin.write(b"".join(lines))
    with open(f"{directory}/{host}.node", "w", encoding="ascii") as out:
        out.write(f"{child.pid}\n")
    asyncio.get_running_loop().run_in_executor(None, sys.stdin.buffer.read).add_done_callback(
        lambda _: child.stdin.close())
    status = await child.wait()
    # What still reads its input would wait for the end of a run that may go on.
    os._exit(status if status >= 0 else 128 - status)


asyncio.run({"relay": relay, "node": node}[sys.argv[1]](*sys.argv[2:]))
