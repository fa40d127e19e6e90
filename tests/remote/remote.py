#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""remote: samples by Prometheus remote write, without a library.

    remote.py ADDRESS [--type TYPE] [--encoding CODING] [--token FILE] [--body FILE] [--claim SIZE] < LINES

ADDRESS is unix:PATH or HOST:PORT.  A line is {"labels": {...}, "samples": [[ms, value], ...]}; a value is a number,
"stale", or "0x" and the bits of a double; "histogram": true adds a native histogram.  Prints the status and the body.
"""
import argparse
import http.client
import json
import os
import socket
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "promql"))
from oracle import field, snappy, varint  # noqa: E402

STALE_BITS = 0x7FF0000000000002


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("barod", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def connect(address):
    if address.startswith("unix:"):
        return Unix(address[5:])
    host, port = address.rsplit(":", 1)
    return http.client.HTTPConnection(host, int(port), timeout=60)


def bits_of(value):
    if value == "stale":
        return STALE_BITS
    if isinstance(value, str):
        return int(value, 16)
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def sample(t_ms, value):
    return field(2, b"\x09" + struct.pack("<Q", bits_of(value)) + b"\x10" + varint(t_ms & (1 << 64) - 1))


def series(line):
    pairs = line["labels"]
    pairs = sorted(pairs.items()) if isinstance(pairs, dict) else pairs
    text = b"".join(field(1, field(1, k.encode()) + field(2, v.encode("utf-8", "surrogateescape"))) for k, v in pairs)
    text += b"".join(sample(t, v) for t, v in line.get("samples", []))
    if line.get("histogram"):
        text += field(4, b"\x10\x01")
    return field(1, text)


def message(lines):
    return b"".join(series(line) for line in lines)


def post(connection, body, headers=None):
    """(status, body, Retry-After)."""
    connection.request("POST", "/api/v1/write", body, {
        "Content-Encoding": "snappy", "Content-Type": "application/x-protobuf",
        "X-Prometheus-Remote-Write-Version": "0.1.0", **(headers or {})})
    response = connection.getresponse()
    text = response.read().decode("utf-8", "replace")
    return response.status, text, response.getheader("Retry-After")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--type")
    parser.add_argument("--encoding")
    parser.add_argument("--token")
    parser.add_argument("--body")
    parser.add_argument("--claim", type=int)
    args = parser.parse_args()
    headers = {}
    if args.type:
        headers["Content-Type"] = args.type
    if args.encoding:
        headers["Content-Encoding"] = args.encoding
    if args.token:
        with open(args.token, encoding="utf-8") as f:
            headers["Authorization"] = "Bearer " + f.read().strip()
    if args.body:
        with open(args.body, "rb") as f:
            body = f.read()
    else:
        body = message(json.loads(line) for line in sys.stdin if line.strip())
        body = body if args.encoding == "identity" else snappy(body)
    if args.claim:
        body = varint(args.claim) + body
    status, text, retry = post(connect(args.address), body, headers)
    print(status, text.strip() + (f" retry={retry}" if retry else ""))


if __name__ == "__main__":
    main()
