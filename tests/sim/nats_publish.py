#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nats_publish - publish to a NATS server, in its own text protocol.

    nats_publish.py HOST:PORT[:USER:PASSWORD] SUBJECT COUNT <payload

COUNT messages, each the whole of standard input; {n} in it becomes the number of the
message.  Ends when the server has answered a PING behind them: it has them all.
"""
import json
import socket
import sys


def read_line(stream):
    line = stream.readline()
    if not line:
        sys.exit("nats_publish: the server has closed the connection")
    if line.startswith(b"-ERR"):
        sys.exit("nats_publish: " + line.decode().strip())
    return line


def main():
    host, port, *identity = sys.argv[1].split(":")
    subject, count = sys.argv[2], int(sys.argv[3])
    payload = sys.stdin.buffer.read()
    options = {"verbose": False, "pedantic": False, "name": "nats_publish"}
    if identity:
        options["user"], options["pass"] = identity
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        stream = connection.makefile("rwb")
        if not read_line(stream).startswith(b"INFO "):
            sys.exit("nats_publish: this is no NATS server")
        stream.write(b"CONNECT " + json.dumps(options).encode() + b"\r\n")
        for n in range(count):
            body = payload.replace(b"{n}", str(n).encode())
            stream.write(b"PUB %s %d\r\n%s\r\n" % (subject.encode(), len(body), body))
        stream.write(b"PING\r\n")
        stream.flush()
        while not read_line(stream).startswith(b"PONG"):
            pass


main()
