#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""upstream_proxy - an upstream of the chunk protocol that misbehaves, in front of a real one.

    upstream_proxy.py LISTEN UPSTREAM MODE

Both are paths of unix sockets.  corrupt: one byte of each chunk is another;
corrupt-plain: of each that is not compressed, so that the SHA-256 alone shows it; slow: a chunk
every 50 ms; cut: the connection ends in the middle of the third chunk; garbage: what is no
frame follows the third chunk; parts: the index in parts of 1000 bytes; cut-parts: and the first
connection ends behind the second part, which is corrupt; pong-only: no chunk is sent; twice: each chunk comes twice;
not-found: so are the first twenty chunks; welcome-only: the connection ends at the first response
but the welcome; refuses: an index is too large; lists: each list waits until LISTEN.go exists.

LISTEN.requests has a line for each request: its type."""
import os
import socket
import struct
import sys
import threading
import time

listen, upstream, mode = sys.argv[1:]
WELCOME, INDEX_PART, CHUNK, NAMES, FAILED = 2, 6, 8, 10, 15
connections = chunks_all = 0


def read_all(sock, size):
    data = b""
    while len(data) < size:
        part = sock.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def end(*socks):
    """At once, also where the other thread waits for one of them: that ends it."""
    for sock in socks:
        try:
            sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        sock.close()


def requests(client, server):
    try:
        while True:
            head = read_all(client, 16)
            size, kind = struct.unpack("<IH", head[:6])
            server.sendall(head + read_all(client, size))
            with open(listen + ".requests", "a") as f:
                f.write(f"{kind}\n")
    except (EOFError, OSError):
        end(client, server)


def failed(head, code):
    return struct.pack("<IH", 4, FAILED) + head[6:], struct.pack("<I", code)


def responses(client, server):
    global connections, chunks_all
    connections += 1
    number = connections
    chunks = parts = 0
    try:
        while True:
            head = read_all(server, 16)
            size, kind = struct.unpack("<IH", head[:6])
            body = bytearray(read_all(server, size))
            if kind == CHUNK:
                chunks += 1
                chunks_all += 1
                is_plain = struct.unpack("<I", body[:4])[0] == len(body) - 4
                if mode == "corrupt" or (mode == "corrupt-plain" and is_plain):
                    body[-1] ^= 1
                if mode == "slow":
                    time.sleep(0.05)
                if mode == "cut" and chunks == 3:
                    client.sendall(head + body[: size // 2])
                    raise EOFError
                if mode == "garbage" and chunks == 3:
                    client.sendall(b"\xff" * 4096)
            if kind == INDEX_PART:
                parts += 1
                if mode in ("parts", "cut-parts"):
                    body = body[:1008]
                    head = struct.pack("<I", len(body)) + head[4:]
                if mode == "cut-parts" and number == 1 and parts == 2:
                    body[-1] ^= 1
                if mode == "cut-parts" and number == 1 and parts == 3:
                    raise EOFError
                if mode == "refuses":
                    head, body = failed(head, 4)
            if kind == CHUNK and mode == "pong-only":
                continue
            if kind == CHUNK and mode == "not-found" and chunks_all <= 20:
                head, body = failed(head, 1)
            if kind != WELCOME and mode == "welcome-only":
                raise EOFError
            while kind == NAMES and mode == "lists" and not os.path.exists(listen + ".go"):
                time.sleep(0.02)
            client.sendall((head + body) * (2 if kind == CHUNK and mode == "twice" else 1))
    except (EOFError, OSError):
        end(client, server)


if os.path.exists(listen):
    os.unlink(listen)
door = socket.socket(socket.AF_UNIX)
door.bind(listen)
door.listen(64)
while True:
    client, _ = door.accept()
    server = socket.socket(socket.AF_UNIX)
    try:
        server.connect(upstream)
    except OSError:
        client.close()
        continue
    for work in (requests, responses):
        threading.Thread(target=work, args=(client, server), daemon=True).start()
