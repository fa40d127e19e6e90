#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""foreign - send a body as Telegraf or cc-metric-collector do, byte by byte.

    foreign.py SOCKET telegraf1|telegraf2|collector SECONDS <lines

Prints the status of each request.  tests/requests/README.md says how they are made.
"""
import socket
import sys
import zlib


def head(method_and_path, *lines):
    text = [method_and_path + " HTTP/1.1", "Host: 127.0.0.1:8091", *lines,
            "Accept-Encoding: gzip", "", ""]
    return "\r\n".join(text).encode()


def chunked_gzip(body):
    """Compressed piece by piece, as by a pipe between a compressor and a connection."""
    packer = zlib.compressobj(wbits=31)
    pieces = [packer.compress(body[i:i + 100]) + packer.flush(zlib.Z_SYNC_FLUSH)
              for i in range(0, len(body), 100)] + [packer.flush()]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces if p) + b"0\r\n\r\n"


def telegraf(path, body, *identity):
    return head("POST " + path, "User-Agent: Telegraf/1.24.4 Go/1.19.4",
                "Transfer-Encoding: chunked", *identity, "Content-Encoding: gzip",
                "Content-Type: text/plain; charset=utf-8") + chunked_gzip(body)


def requests(sender, body):
    if sender == "telegraf1":
        form = b"q=CREATE+DATABASE+%22telegraf%22"
        yield head("POST /query", "User-Agent: Telegraf/1.24.4 Go/1.19.4",
                   f"Content-Length: {len(form)}",
                   "Content-Type: application/x-www-form-urlencoded") + form
        yield telegraf("/write?db=telegraf", body)
    elif sender == "telegraf2":
        yield telegraf("/api/v2/write?bucket=hpc&org=site", body, "Authorization: Token t0k3n")
    else:
        yield head("POST /api/write/?cluster=emmy", "User-Agent: Go-http-client/1.1",
                   f"Content-Length: {len(body)}", "Authorization: Bearer abc.def.ghi") + body


def status(stream):
    line = stream.readline()
    size = 0
    while (header := stream.readline()) not in (b"\r\n", b""):
        if header.lower().startswith(b"content-length:"):
            size = int(header.split(b":")[1])
    stream.read(size)
    return line.split()[1].decode()


def main():
    body = sys.stdin.read().replace("{t}", sys.argv[3]).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(sys.argv[1])
        stream = connection.makefile("rwb")
        for request in requests(sys.argv[2], body):
            stream.write(request)
            stream.flush()
            print(status(stream))


main()
