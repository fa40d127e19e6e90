#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""receiver: a target of remote write that does what its control file says, and writes down what it accepts.

    receiver.py PORT CONTROL LOG

CONTROL has one word: accept, refuse (400), refuse-odd (400 if a series' name ends in "odd"), fail (503), later (429 with
Retry-After: 1), unauthorized (401), hang.  LOG gets a line of JSON for each request: status, headers, and what was
accepted as [labels, ms, bits].
"""
import http.server
import json
import os
import struct
import sys
import time


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def unsnap(data):
    size, at = varint(data, 0)
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        kind = tag & 3
        if kind == 0:
            length = tag >> 2
            if length >= 60:
                count = length - 59
                length = int.from_bytes(data[at:at + count], "little")
                at += count
            out += data[at:at + length + 1]
            at += length + 1
            continue
        if kind == 1:
            length, offset, at = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[at], at + 1
        else:
            count = 2 if kind == 2 else 4
            length, offset, at = (tag >> 2) + 1, int.from_bytes(data[at:at + count], "little"), at + count
        for _ in range(length):
            out.append(out[-offset])
    assert len(out) == size
    return bytes(out)


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 2:
            size, at = varint(data, at)
            yield key >> 3, data[at:at + size]
            at += size
        elif key & 7 == 1:
            yield key >> 3, data[at:at + 8]
            at += 8
        else:
            value, at = varint(data, at)
            yield key >> 3, value


def samples(message):
    out = []
    for _, series in fields(message):
        labels, list_ = [], []
        for number, part in fields(series):
            parts = dict(fields(part))
            if number == 1:
                labels.append([parts[1].decode(), parts[2].decode()])
            else:
                list_.append([parts[2], "%016x" % struct.unpack("<Q", parts[1])])
        assert labels == sorted(labels), labels
        out += [[dict(labels), t, bits] for t, bits in list_]
    return out


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(sys.argv[2], encoding="utf-8") as f:
            word = f.read().strip()
        got = samples(unsnap(body))
        status = {"refuse": 400, "fail": 503, "later": 429, "unauthorized": 401}.get(word, 204)
        if word == "refuse-odd" and any(labels["__name__"].endswith("odd") for labels, _, _ in got):
            status = 400
        if word == "hang":
            time.sleep(60)
        line = {"status": status, "headers": {k.lower(): v for k, v in self.headers.items()}, "path": self.path,
                "samples": got if status == 204 else len(got)}
        fd = os.open(sys.argv[3], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(fd, (json.dumps(line, sort_keys=True) + "\n").encode())
        os.close(fd)
        text = b"" if status == 204 else b"the receiver says " + word.encode() + b"\nsecond line\n"
        self.send_response(status)
        if word == "later":
            self.send_header("Retry-After", "1")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
