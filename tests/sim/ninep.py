#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ninep.py - a client of 9P2000.L, which can be a hostile one.
#
#   ninep.py [--as UID:GID] [--user N|none] [--credential TEXT|-] ADDRESS VERB [ARGUMENT...]
#
#   read NAME            the SHA-256 of a file, by reads that are under way beside each other
#   list                 names of the directory, a line each
#   stat NAME            type, mode and size
#   touch NAME OFFSET    100 bytes from there on, for them to be in a cache
#   attach               attached, or the error's number
#   beside NAME WARM     a read that waits, and beside it a walk and a read of byte WARM on, which do not; then all
#   hostile CASE NAME    one of the cases below; prints what came of it
#
# ADDRESS is a path or a port of 127.0.0.1.
import encodings.idna  # noqa: F401: before the user changes, who may not read it
import errno
import hashlib
import os
import socket
import struct
import sys
import time

RLERROR, NOFID, NOTAG, NOUSER = 7, 0xFFFFFFFF, 0xFFFF, 0xFFFFFFFF
WRITES = {14: "lcreate", 16: "symlink", 18: "mknod", 20: "rename", 26: "setattr", 32: "xattrcreate",
          70: "link", 72: "mkdir", 74: "renameat", 76: "unlinkat", 118: "write", 122: "remove"}


def text(value):
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<H", len(data)) + data


class Error(Exception):
    pass


class Client:
    def __init__(self, address, msize=1 << 20):
        if address.startswith("/"):
            self.s = socket.socket(socket.AF_UNIX)
            self.s.connect(address)
        else:
            self.s = socket.create_connection(("127.0.0.1", int(address)))
        self.s.settimeout(60)
        self.msize = msize

    def send(self, kind, tag, body=b""):
        self.s.sendall(struct.pack("<IBH", 7 + len(body), kind, tag) + body)

    def exactly(self, size):
        data = b""
        while len(data) < size:
            piece = self.s.recv(size - len(data))
            if not piece:
                raise EOFError("closed")
            data += piece
        return data

    def receive(self):
        size, kind, tag = struct.unpack("<IBH", self.exactly(7))
        return kind, tag, self.exactly(size - 7)

    def call(self, kind, body=b"", tag=1):
        self.send(kind, tag, body)
        got, got_tag, data = self.receive()
        assert got_tag == tag, (got_tag, tag)
        if got == RLERROR:
            raise Error(struct.unpack("<I", data)[0])
        assert got == kind + 1, (got, kind)
        return data

    def version(self):
        data = self.call(100, struct.pack("<I", self.msize) + text("9P2000.L"), NOTAG)
        self.msize = struct.unpack("<I", data[:4])[0]
        return data[6:].decode()

    def attach(self, fid=0, afid=NOFID, user=None, aname="/"):
        user = os.getuid() if user is None else user
        return self.call(104, struct.pack("<II", fid, afid) + text("") + text(aname) + struct.pack("<I", user))

    def auth(self, afid, user, credential):
        self.call(102, struct.pack("<I", afid) + text("") + text("/") + struct.pack("<I", user))
        for at in range(0, len(credential), 50):
            piece = credential[at:at + 50]
            self.call(118, struct.pack("<IQI", afid, at, len(piece)) + piece)

    def walk(self, fid, newfid, *names):
        data = self.call(110, struct.pack("<IIH", fid, newfid, len(names)) + b"".join(map(text, names)))
        count = struct.unpack("<H", data[:2])[0]
        assert len(data) == 2 + 13 * count
        return count

    def open(self, fid, flags=0):
        return self.call(12, struct.pack("<II", fid, flags))

    def clunk(self, fid):
        return self.call(120, struct.pack("<I", fid))

    def getattr(self, fid):
        data = self.call(24, struct.pack("<IQ", fid, 0x7FF))
        assert len(data) == 153, len(data)
        return data[8], struct.unpack("<I", data[21:25])[0], struct.unpack("<Q", data[49:57])[0]

    def read_send(self, fid, offset, count, tag):
        self.send(116, tag, struct.pack("<IQI", fid, offset, count))

    def read(self, fid, offset, count):
        data = self.call(116, struct.pack("<IQI", fid, offset, count))
        size = struct.unpack("<I", data[:4])[0]
        assert size == len(data) - 4 and size <= count
        return data[4:]

    def list(self, fid, count=300):
        names, offset = [], 0
        while True:
            data = self.call(40, struct.pack("<IQI", fid, offset, count))[4:]
            if not data:
                return names
            while data:
                offset, _, size = struct.unpack("<QBH", data[13:24])
                names.append(data[24:24 + size].decode())
                data = data[24 + size:]

    # Parts of a file, 16 under way: in whatever order they come.
    def read_all(self, fid, size, depth=16, count=100000):
        parts, tags = {}, {}
        pieces = [(at, min(count, size - at)) for at in range(0, size, count)]
        free = list(range(10, 10 + depth))
        while pieces or tags:
            while pieces and free:
                at, want = pieces.pop(0)
                tag = free.pop()
                tags[tag] = (at, want)
                self.read_send(fid, at, want, tag)
            kind, tag, data = self.receive()
            if kind == RLERROR:
                raise Error(struct.unpack("<I", data)[0])
            at, want = tags.pop(tag)
            free.append(tag)
            got = data[4:]
            assert got, "a read in the middle was empty"
            parts[at] = got
            if len(got) < want:
                pieces.insert(0, (at + len(got), want - len(got)))
        return b"".join(parts[at] for at in sorted(parts))


def start(address, options, msize=1 << 20):
    client = Client(address, msize)
    assert client.version() == "9P2000.L"
    afid = NOFID
    if "credential" in options:
        client.auth(99, options["user"], options["credential"])
        afid = 99
    client.attach(0, afid, options["user"])
    if afid != NOFID:
        client.clunk(afid)
    return client


def opened(client, name, fid=1):
    assert client.walk(0, fid, name) == 1
    client.open(fid)
    pause = os.environ.get("NINEP_WAIT")
    if pause:  # until what it is read from is gone
        open(pause, "w").close()
        while not os.path.exists(pause + ".go"):
            time.sleep(0.02)
    return client.getattr(fid)[2]


def error_of(call, *arguments):
    try:
        call(*arguments)
    except Error as e:
        return errno.errorcode.get(e.args[0], str(e.args[0]))
    except (EOFError, ConnectionError):
        return "closed"
    return "ok"


# ---- hostile cases: each prints a line ----

def case_writes(c, name):
    opened(c, name)
    results = set()
    for kind in WRITES:
        if kind == 118:
            body = struct.pack("<IQI", 1, 0, 100) + bytes(100)
        elif kind == 122:
            c.walk(0, 7)
            body = struct.pack("<I", 7)
        else:
            body = bytes(40)
        results.add(error_of(c.call, kind, body))
    gone = error_of(c.getattr, 7)
    opens = {error_of(c.open, c.walk(0, fid, name) and fid, flags)
             for fid, flags in ((20, 1), (21, 2), (22, 0o1000), (23, 0o2000), (24, 0o100))}
    long = error_of(c.call, 118, struct.pack("<IQI", 1, 0, 100000) + bytes(100000))
    return f"{' '.join(results)} {' '.join(opens)} {long} {gone} {len(c.read(1, 0, 10))}"


def case_walks(c, name):
    up = c.walk(0, 1, "..", "..", "..")
    partial = c.walk(0, 2, "..", "nosuch")
    return " ".join([str(up), str(partial), error_of(c.getattr, 2), error_of(c.walk, 0, 3, ".."), error_of(c.walk, 0, 4, "nosuch"),
                     error_of(c.walk, 0, 5, "."), error_of(c.walk, 0, 6, ""), error_of(c.walk, 0, 7, "../" + name),
                     error_of(c.walk, 0, 8, b"\0\xff"), error_of(c.walk, 0, 9, "x" * 5000), str(c.walk(0, 10, name, "..")),
                     error_of(c.getattr, 10), error_of(c.walk, 77, 11), str(c.walk(0, 12, name)), error_of(c.walk, 12, 13, ".."),
                     str(c.walk(12, 12)), error_of(c.walk, 0, NOFID), error_of(c.walk, 0, 12)])


def case_fids(c, name):
    results = [error_of(c.walk, 0, fid) for fid in range(1, 1500)]
    reused = error_of(c.walk, 0, 5)
    c.clunk(5)
    again = error_of(c.walk, 0, 5, name)
    twice = error_of(c.clunk, 5), error_of(c.clunk, 5)
    return f"{results.count('ok')} {results.count('EMFILE')} {reused} {again} {' '.join(twice)}"


def case_counts(c, name):
    size = opened(c, name)
    huge = c.read(1, 0, 0xFFFFFFFF)
    c.walk(0, 2)
    return " ".join([str(c.msize), str(0 < len(huge) <= c.msize - 24), str(len(c.read(1, size, 10))), str(len(c.read(1, size - 3, 10))),
                     str(len(c.read(1, 2**64 - 1, 0xFFFFFFFF))), str(len(c.read(1, 0, 0))), error_of(c.read, 0, 0, 10),
                     error_of(c.read, 2, 0, 10), error_of(c.call, 40, struct.pack("<IQI", 1, 0, 100)),
                     error_of(c.call, 40, struct.pack("<IQI", 2, 0, 100)), error_of(c.open, 1),
                     error_of(c.call, 22, struct.pack("<I", 1)), error_of(c.call, 30, struct.pack("<II", 1, 9) + text("user.x")),
                     error_of(c.call, 52, bytes(30)), error_of(c.call, 50, struct.pack("<II", 1, 0))])


# Walks that are sent at once, each twice: to a fid of its own, which the second one may not have, nor take away.
def case_lookups(c, name):
    c.s.sendall(b"".join(head(7 + 10 + 2 + len(name), 110, 2 * i + twice, struct.pack("<IIH", 0, 100 + i, 1) + text(name))
                         for i in range(500) for twice in (0, 1)))
    kinds = [c.receive()[0] for _ in range(1000)]
    return f"{kinds.count(111)} {[error_of(c.getattr, 100 + i) for i in range(500)].count('ok')}"


# Credentials that are none: many, eight at once, and until the server has enough.
def case_credentials(address):
    c = Client(address)
    c.version()

    def auth(fid):
        c.auth(fid, 0, b"MUNGE:junk:")

    many = [error_of(auth, 100 + i) for i in range(100)]
    c.s.sendall(b"".join(head(7 + 8 + 2 + 3 + 4, 104, 10 + i, struct.pack("<II", 10 + i, 100 + i) + text("") + text("/") +
                              struct.pack("<I", 0)) for i in range(8)))
    errors = [errno.errorcode[struct.unpack("<I", c.receive()[2])[0]] for _ in range(8)]
    one = error_of(c.attach, 1, 108, 0)
    return (f"{many.count('ok')} {many[16]} {errors.count('EPERM')} EPERM {errors.count('EAGAIN')} EAGAIN "
            f"{one} {error_of(c.attach, 1, 109, 0)}")


# Each is flushed while munged, which does not respond, has it.
def case_flushed(address):
    c = Client(address)
    c.version()
    results = []
    for i in range(3):
        c.auth(100 + i, 0, b"MUNGE:junk:")
        c.send(104, 10, struct.pack("<II", 10 + i, 100 + i) + text("") + text("/") + struct.pack("<I", 0))
        results.append(error_of(c.call, 108, struct.pack("<H", 10)))
    return " ".join(results)


def ends(address, data, has_version=True):
    c = Client(address)
    if has_version:
        c.version()
        c.attach()
    c.s.sendall(data)
    try:
        while c.s.recv(4096):
            pass
    except ConnectionError:
        pass
    return "closed"


def head(size, kind, tag=1, body=b""):
    return struct.pack("<IBH", size, kind, tag) + body


def case_malformed(address):
    cases = [head(6, 116), head(0, 0), head(0xFFFFFFFF, 116), head(0x7FFFFFFF, 118), head(9000, 116) + bytes(9000),
             head(11, 116, 1, bytes(4)), head(24, 116, 1, bytes(17)), head(7, 117), head(13, 105, 1, bytes(6)),
             head(17, 110, 1, struct.pack("<IIH", 0, 1, 17)), head(19, 110, 1, struct.pack("<IIHH", 0, 1, 1, 65535))]
    results = [ends(address, data) for data in cases]
    results += [ends(address, data, False) for data in (head(11, 120, 1, bytes(4)), head(9000, 100) + bytes(8993),
                                                        head(13, 100, NOTAG, bytes(6)) + head(11, 120, 1, bytes(4)))]
    return f"{results.count('closed')} of {len(results)}"


def case_versions(address):
    c = Client(address, 100)
    small = error_of(c.version)
    c = Client(address)
    other = c.call(100, struct.pack("<I", 65536) + text("9P2000.u"), NOTAG)[6:].decode()
    c = Client(address, 0xFFFFFFFF)
    c.version()
    c.attach()
    first = c.msize
    c.msize = 8192
    c.version()
    return f"{small} {other} {first} {c.msize} {error_of(c.getattr, 0)}"


# Half a message, byte by byte, of many; a client that goes in the middle of each.
def case_halves(address, name):
    message = head(23, 110, 1, struct.pack("<IIH", 0, 1, 1)[:10] + text("x" * 4))
    for cut in range(len(message)):
        c = Client(address)
        c.version()
        c.attach()
        c.s.sendall(message[:cut])
        c.s.close()
    c = Client(address)
    c.version()
    c.attach()
    stream = head(17 + 2 + len(name), 110, 1, struct.pack("<IIH", 0, 1, 1) + text(name)) + head(15, 12, 2, struct.pack("<II", 1, 0))
    for byte in stream:
        c.s.sendall(bytes([byte]))
        time.sleep(0.001)
    kinds = [c.receive()[0], c.receive()[0]]
    return f"{kinds}"


# Two requests of one tag under way: only while upstreams are away both are.
def case_tags(c, name):
    opened(c, name)
    c.read_send(1, 0, 10, 5)
    c.read_send(1, 0, 10, 5)
    return error_of(c.receive)


# Reads that wait are flushed, each with another: none is responded to, the flushes are; other fids go on.
def case_flush(c, name):
    size = opened(c, name)
    for tag in range(100, 200):
        c.read_send(1, (tag - 100) * 1000 % size, 1000, tag)
    for tag in range(100, 200):
        c.send(108, tag + 200, struct.pack("<H", tag))
    kinds = [c.receive() for _ in range(100)]
    flushed = sorted(tag for kind, tag, _ in kinds if kind == 109)
    c.walk(0, 2)
    return f"{flushed == list(range(300, 400))} {c.getattr(2)[0]}"


# As many reads wait as may: flushes are read all the same.
def case_full(c, name):
    size = opened(c, name)
    for tag in range(256):
        c.read_send(1, tag * 7919 % size, 1000, 1000 + tag)
    flushed = set()
    for tag in range(256):
        c.send(108, 4000, struct.pack("<H", 1000 + tag))
        kind, at, _ = c.receive()
        flushed.add((kind, at))
    c.walk(0, 2)
    return f"{sorted(flushed)} {c.getattr(2)[0]}"


# While data come: each read has its response before that of its flush, or none.
def case_races(c, name):
    size = opened(c, name)
    wrong = 0
    for turn in range(300):
        c.read_send(1, turn * 7919 % size, 60000, 5)
        c.send(108, 6, struct.pack("<H", 5))
        kind, tag, data = c.receive()
        if kind == 117:
            wrong += tag != 5
            kind, tag, data = c.receive()
        wrong += kind != 109 or tag != 6
    return f"{wrong} {error_of(c.call, 108, struct.pack('<H', 4711))}"


# More than are read at a time; nothing of what is sent is read until all was sent.
def case_many(c, name):
    size = opened(c, name)
    count = 2000
    pid = os.fork()
    if pid == 0:
        for i in range(count):
            c.read_send(1, i * 7919 % size, 50000, 1000 + i)
        os._exit(0)
    time.sleep(2)
    tags = set()
    for _ in range(count):
        kind, tag, data = c.receive()
        assert kind == 117, kind
        tags.add(tag)
    os.waitpid(pid, 0)
    return str(len(tags))


def hostile(address, options, case, name=""):
    if case in ("malformed", "versions", "credentials", "flushed"):
        return globals()["case_" + case](address)
    if case == "halves":
        return case_halves(address, name)
    return globals()["case_" + case](start(address, options), name)


def main():
    options, arguments = {"user": None}, sys.argv[1:]
    while arguments[0].startswith("--"):
        key, value = arguments[0][2:], arguments[1]
        arguments = arguments[2:]
        if key == "as":
            uid, gid = map(int, value.split(":"))
            os.setgroups([gid])
            os.setgid(gid)
            os.setuid(uid)
        elif key == "user":
            options["user"] = NOUSER if value == "none" else int(value)
        else:
            options[key] = (sys.stdin.read() if value == "-" else value).strip().encode()
    address, verb, rest = arguments[0], arguments[1], arguments[2:]
    if verb == "hostile":
        print(hostile(address, options, *rest))
        return
    try:
        client = start(address, options)
        if verb == "attach":
            print("attached")
        elif verb == "list":
            client.walk(0, 1)
            client.open(1)
            print("\n".join(client.list(1)))
        elif verb == "stat":
            client.walk(0, 1, rest[0])
            print("%d %o %d" % client.getattr(1))
        elif verb == "read":
            data = client.read_all(1, opened(client, rest[0]))
            print(hashlib.sha256(data).hexdigest())
        elif verb == "touch":
            opened(client, rest[0])
            print(len(client.read(1, int(rest[1]), 100)))
        elif verb == "beside":
            size = opened(client, rest[0])
            client.read_send(1, 0, 100000, 500)
            client.walk(0, 2)
            print("walk %d read %d" % (client.getattr(2)[0], len(client.read(1, int(rest[1]), 100))), flush=True)
            kind, tag, data = client.receive()
            print("read %d %d" % (kind, tag))
            print(hashlib.sha256(client.read_all(1, size)).hexdigest())
    except Error as e:
        print(errno.errorcode.get(e.args[0], e.args[0]))
    except (EOFError, ConnectionError):
        print("closed")


main()
