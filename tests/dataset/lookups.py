#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lookups - clients of the chunk door that request much at once.

    lookups.py CHUNKS names COUNT      so many names that are not there, over connections of 60 each
    lookups.py CHUNKS beyond COUNT     so many over one connection
    lookups.py CHUNKS lists COUNT      a list over each of so many connections
    lookups.py CHUNKS leave COUNT      512 unknown chunks over each of so many connections, which leave
    lookups.py CHUNKS unknown          an unknown chunk

Prints what came back: how many of which type, and of what code."""
import collections
import hashlib
import os
import socket
import struct
import sys

path, what = sys.argv[1:3]
count = int(sys.argv[3]) if len(sys.argv) > 3 else 1


def frame(kind, body=b"", number=1):
    return struct.pack("<IHHQ", len(body), kind, 0, number) + body


def read_all(sock, size):
    data = b""
    while len(data) < size:
        part = sock.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def response(sock):
    size, kind = struct.unpack("<IHHQ", read_all(sock, 16))[:2]
    body = read_all(sock, size)
    return f"{kind}:{body[0]}" if kind == 15 else str(kind)


def connect():
    sock = socket.socket(socket.AF_UNIX)
    sock.settimeout(60)
    sock.connect(path)
    sock.sendall(frame(1, b"barochnk" + struct.pack("<IIII", 1, 64, 512, 0)))
    assert response(sock) == "2"
    return sock


def names(number, first):
    return b"".join(frame(3, b"nosuch%d" % (first + i), i + 1) for i in range(number))


socks = []
if what == "names":
    for first in range(0, count, 60):
        number = min(60, count - first)
        socks.append((connect(), number))
        socks[-1][0].sendall(names(number, first))
elif what == "beyond":
    socks.append((connect(), count))
    socks[0][0].sendall(names(count, 0))
elif what == "lists":
    for _ in range(count):
        socks.append((connect(), 1))
        socks[-1][0].sendall(frame(9))
elif what == "leave":
    for c in range(count):
        sock = connect()
        for batch in range(8):
            digests = b"".join(hashlib.sha256(b"%d %d %d" % (c, batch, i)).digest() for i in range(64))
            sock.sendall(frame(7, digests, batch + 1))
        sock.sendall(frame(13))
        assert response(sock) == "14"
        sock.close()
elif what == "unknown":
    socks.append((connect(), 1))
    socks[0][0].sendall(frame(7, os.urandom(32)))
found = collections.Counter(response(sock) for sock, number in socks for _ in range(number))
print(" ".join(f"{number}x{kind}" for kind, number in sorted(found.items())))
