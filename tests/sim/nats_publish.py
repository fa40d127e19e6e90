#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nats_publish - publish to a NATS server, in its own text protocol.

    nats_publish.py HOST:PORT[:USER:PASSWORD | :TOKEN] SUBJECT COUNT [CA [DIR]] <payload

COUNT messages, each the whole of standard input; {n} in it becomes the number of the
message.  CA: the connection is by TLS, unless it is empty.  DIR: as nats_accounts.py made
it, of whose user we are.  Ends when the server has answered a PING behind them: it has them all.
"""
import base64
import json
import socket
import ssl
import sys

import nats_accounts


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
    if len(identity) == 1:
        options["auth_token"] = identity[0]
    elif identity:
        options["user"], options["pass"] = identity
    ca, directory = (sys.argv[4:] + ["", ""])[:2]
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        stream = connection.makefile("rwb")
        info = read_line(stream)
        if not info.startswith(b"INFO "):
            sys.exit("nats_publish: this is no NATS server")
        if ca:
            context = ssl.create_default_context(cafile=ca)
            connection = context.wrap_socket(connection, server_hostname=host)
            stream = connection.makefile("rwb")
        if directory:
            nonce = json.loads(info[5:])["nonce"].encode()
            signature = nats_accounts.sign(directory + "/user.pem", nonce)
            options["sig"] = base64.urlsafe_b64encode(signature).decode().rstrip("=")
            with open(directory + "/user.creds") as file:
                options["jwt"] = file.read().splitlines()[1]
        stream.write(b"CONNECT " + json.dumps(options).encode() + b"\r\n")
        for n in range(count):
            body = payload.replace(b"{n}", str(n).encode())
            stream.write(b"PUB %s %d\r\n%s\r\n" % (subject.encode(), len(body), body))
        stream.write(b"PING\r\n")
        stream.flush()
        while not read_line(stream).startswith(b"PONG"):
            pass


main()
