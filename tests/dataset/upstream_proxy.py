#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""upstream_proxy - an upstream of the chunk protocol that misbehaves, in front of a real one.

    upstream_proxy.py LISTEN UPSTREAM corrupt|corrupt-plain|slow|cut|garbage|parts

Both are paths of unix sockets.  corrupt: one byte of each chunk is another;
corrupt-plain: of each that is not compressed, so that the SHA-256 alone shows it; slow: a chunk
every 50 ms; cut: the connection ends in the middle of the third chunk; garbage: what is no
frame follows the third chunk; parts: the index in parts of 1000 bytes."""
import os
import socket
import struct
import sys
import threading
import time

listen, upstream, mode = sys.argv[1:]
INDEX_PART, CHUNK = 6, 8


def read_all(sock, size):
    data = b""
    while len(data) < size:
        part = sock.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def requests(client, server):
    try:
        while data := client.recv(65536):
            server.sendall(data)
    except OSError:
        pass
    server.close()


def responses(client, server):
    chunks = 0
    try:
        while True:
            head = read_all(server, 16)
            size, kind = struct.unpack("<IH", head[:6])
            body = bytearray(read_all(server, size))
            if kind == CHUNK:
                chunks += 1
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
            if kind == INDEX_PART and mode == "parts":
                body = body[:1008]
                head = struct.pack("<I", len(body)) + head[4:]
            client.sendall(head + body)
    except (EOFError, OSError):
        client.close()
        server.close()


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
