#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hostile - clients of baro-datasetd that do what no good client does, and what NBD's own tools do
not do.

    hostile.py NBD CHUNKS IMAGE DATASET

NBD and CHUNKS are paths of sockets, IMAGE is the file that the dataset is to be.  Prints a line for
each: a word, and what came of it."""
import hashlib
import itertools
import random
import select
import socket
import struct
import sys
import time

nbd_path, chunk_path, image_path, dataset = sys.argv[1:]
with open(image_path, "rb") as image_file:
    image = image_file.read()
GO, EXPORT_NAME, STRUCTURED, LIST, INFO = 7, 1, 8, 3, 6
READ, WRITE, DISC, FLUSH, TRIM, CACHE = range(6)


def connect(path, timeout=60):
    sock = socket.socket(socket.AF_UNIX)
    sock.settimeout(timeout)
    sock.connect(path)
    return sock


def read_all(sock, size):
    data = b""
    while len(data) < size:
        part = sock.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def is_closed(sock):
    """Whether it ends, whatever comes before."""
    try:
        while sock.recv(65536):
            pass
    except ConnectionError:
        pass
    except socket.timeout:
        return False
    return True


def not_hung_up(sockets, seconds):
    """Which of them are not ended within the time; nothing is read: one that is read goes on."""
    end = time.monotonic() + seconds
    left = set(range(len(sockets)))
    while left and time.monotonic() < end:
        for turn in list(left):
            poller = select.poll()
            poller.register(sockets[turn], select.POLLRDHUP)
            if any(event & (select.POLLRDHUP | select.POLLHUP) for _, event in poller.poll(0)):
                left.discard(turn)
        time.sleep(0.1)
    return sorted(left)


def option(code, data=b""):
    return struct.pack(">8sII", b"IHAVEOPT", code, len(data)) + data


def option_reply(sock):
    magic, code, kind, size = struct.unpack(">QIII", read_all(sock, 20))
    assert magic == 0x3E889045565A9, hex(magic)
    return kind, read_all(sock, size)


def greet(flags=3):
    sock = connect(nbd_path)
    assert read_all(sock, 18) == b"NBDMAGICIHAVEOPT\0\3"
    sock.sendall(struct.pack(">I", flags))
    return sock


def go(is_structured, name=dataset):
    sock = greet()
    if is_structured:
        sock.sendall(option(STRUCTURED))
        assert option_reply(sock) == (1, b"")
    sock.sendall(option(GO, struct.pack(">I", len(name)) + name.encode() + struct.pack(">H", 0)))
    kind, data = option_reply(sock)
    assert kind == 3 and struct.unpack(">HQ", data[:10]) == (0, len(image)), (kind, data)
    assert option_reply(sock) == (1, b"")
    return sock


def request(command, offset=0, size=0, flags=0, cookie=1):
    return struct.pack(">IHHQQI", 0x25609513, flags, command, cookie, offset, size)


def simple_reply(sock, size=0):
    magic, error, cookie = struct.unpack(">IIQ", read_all(sock, 16))
    assert magic == 0x67446698, hex(magic)
    return error, b"" if error else read_all(sock, size)


def structured_reply(sock, offset, size):
    """Returns (error, bytes, chunks)."""
    data, error, chunks = bytearray(size), 0, 0
    while True:
        magic, flags, kind, cookie, length = struct.unpack(">IHHQI", read_all(sock, 20))
        assert magic == 0x668E33EF, hex(magic)
        body = read_all(sock, length)
        chunks += 1
        if kind == 1:
            at = struct.unpack(">Q", body[:8])[0] - offset
            data[at : at + length - 8] = body[8:]
        elif kind == 0x8001:
            error = struct.unpack(">I", body[:4])[0]
        if flags & 1:
            return error, bytes(data), chunks


def report(word, *values):
    print(word, *values, flush=True)


# ---- what good clients may do, and nbdcopy does not ----
for flags in (1, 3):
    sock = greet(flags)
    sock.sendall(option(EXPORT_NAME, dataset.encode()))
    size, _ = struct.unpack(">QH", read_all(sock, 10))
    zeroes = b"" if flags & 2 else read_all(sock, 124)
    sock.sendall(request(READ, 5, 100000))
    report("export-name", size == len(image), not any(zeroes), simple_reply(sock, 100000) == (0, image[5:100005]))
sock = go(False)
sock.sendall(request(READ, 0, len(image)))
report("whole-simple", simple_reply(sock, len(image)) == (0, image))
sock = go(True)
sock.sendall(request(READ, 1, len(image) - 1))
error, data, parts = structured_reply(sock, 1, len(image) - 1)
report("whole-structured", error, data == image[1:], parts > 1)
sock.sendall(request(READ, 7, 100, flags=4))
report("one-part", structured_reply(sock, 7, 100) == (0, image[7:107], 1))
sock.sendall(request(READ, 0, 8 << 20, flags=4))
report("one-part-too-long", structured_reply(sock, 0, 0)[0])
sock.sendall(request(CACHE, 0, len(image)) + request(FLUSH))
report("cache-flush", structured_reply(sock, 0, 0)[0], structured_reply(sock, 0, 0)[0])
random.seed(17)
sock = go(True)
wrong = 0
for turn in range(300):
    size = random.choice((1, 512, 4096, 65536, 300000))
    offset = random.randrange(len(image) - size)
    sock.sendall(request(READ, offset, size, cookie=turn))
    wrong += structured_reply(sock, offset, size)[:2] != (0, image[offset : offset + size])
report("random-reads", wrong)

# ---- refused, and the connection goes on ----
sock = go(False)
sock.sendall(request(WRITE, 0, 70000) + bytes(70000) + request(TRIM, 0, 4096) + request(99))
report("writes", *(simple_reply(sock)[0] for _ in range(3)))
ranges = [(0, 0), (len(image), 1), (len(image) - 1, 2), (2**64 - 1, 1), (0, 2**32 - 1)]
sock.sendall(b"".join(request(READ, offset, size) for offset, size in ranges))
report("ranges", *(simple_reply(sock)[0] for _ in ranges))
sock.sendall(request(READ, 0, 10))
report("still-reads", simple_reply(sock, 10) == (0, image[:10]))
sock = greet()
for code, data in ((5, b""), (10, b"x"), (LIST, b"x"), (GO, b"\xff\xff\xff\xffabc"), (GO, b"\0\0\0\2ab\0\0")):
    sock.sendall(option(code, data))
    report("option", code, hex(option_reply(sock)[0]))

# ---- the end of the connection ----
endings = {
    "flags": b"\xff" * 4,
    "magic": struct.pack(">I", 3) + b"x" * 16,
    "long-option": struct.pack(">I8sII", 3, b"IHAVEOPT", GO, 1 << 31),
    "many-options": struct.pack(">I", 3) + option(10) * 300,
}
for name, data in endings.items():
    sock = connect(nbd_path)
    try:
        sock.sendall(data)
    except ConnectionError:
        pass
    report("ends", name, is_closed(sock))
for name, data in {"request-magic": b"y" * 28, "huge-write": request(WRITE, 0, 2**32 - 1), "disc": request(DISC)}.items():
    sock = go(False)
    sock.sendall(data)
    report("ends", name, is_closed(sock))


# ---- the chunk protocol ----
def frame(kind, body=b"", number=1, position=0):
    return struct.pack("<IHHQ", len(body), kind, position, number) + body


def frame_read(sock):
    size, kind, position, number = struct.unpack("<IHHQ", read_all(sock, 16))
    return kind, position, number, read_all(sock, size)


HELLO = b"barochnk" + struct.pack("<IIII", 1, 64, 512, 0)


def chunk_connect():
    sock = connect(chunk_path)
    sock.sendall(frame(1, HELLO))
    assert frame_read(sock)[0] == 2
    return sock


sock = chunk_connect()
sock.sendall(frame(13, number=5))
report("ping", frame_read(sock)[::2])
unknown = hashlib.sha256(b"no such chunk").digest()
sock.sendall(frame(7, unknown * 2))
replies = [frame_read(sock) for _ in range(2)]
report("unknown-chunk", sorted((kind, position, body[:4]) for kind, position, _, body in replies))
name = bytes.fromhex(dataset)
sock.sendall(frame(5, name + struct.pack("<Q", 1 << 60)))
report("index-beyond", frame_read(sock)[0])
sock.sendall(frame(5, name + struct.pack("<Q", 0)))
kind, _, _, index = frame_read(sock)
report("index", kind, index[8:16])
sock.sendall(frame(3, b"nosuch") + frame(3, b"\xff\0\xff"))
report("unknown-name", frame_read(sock)[0], frame_read(sock)[0])
first = index[8 + 104 + 4 : 8 + 104 + 36]
for name, data in {
    "no-hello": frame(13),
    "version": frame(1, b"barochnk" + struct.pack("<IIII", 2, 64, 512, 0)),
    "two-hellos": frame(1, HELLO) * 2,
    "response": frame(1, HELLO) + frame(4, bytes(32)),
    "type": frame(1, HELLO) + frame(77),
    "long": frame(1, HELLO) + struct.pack("<IHHQ", 1 << 31, 10, 0, 1),
}.items():
    sock = connect(chunk_path)
    sock.sendall(data)
    report("ends", name, is_closed(sock))

# ---- noise ----
for path in (nbd_path, chunk_path):
    for turn in range(150):
        sock = connect(path)
        try:
            sock.sendall((b"", struct.pack(">I", 3), frame(1, HELLO))[turn % 3] + random.randbytes(random.randrange(3000)))
        except ConnectionError:
            pass
        sock.close()

# ---- lists that are not read, and more of them than anyone wants ----
sock = greet()
sock.sendall(option(LIST) * 200)
kinds = []
while kinds.count(0x80000002) < 196:
    kinds.append(option_reply(sock)[0])
report("lists", kinds.count(1), kinds.count(0x80000002))

# ---- much to be cached at once, and others are served meanwhile ----
caching = [go(True) for _ in range(8)]
for sock in caching:
    sock.sendall(request(CACHE, 0, len(image)) * 64)
sock = go(True)
sock.sendall(request(READ, 3, 1000))
report("beside-cache", structured_reply(sock, 3, 1000)[:2] == (0, image[3:1003]))
report("cache", sum(structured_reply(sock, 0, 0)[0] for sock in caching for _ in range(64)))
for sock in caching:
    sock.close()

# ---- those who read nothing: each has chunks of its own ----
chunk_count = (len(index) - 8 - 104) // 36
digests = [index[8 + 104 + 36 * i + 4 : 8 + 104 + 36 * i + 36] for i in range(chunk_count)]


def flood(pairs):
    """Sends to each what its generator has, until no one reads any more of it."""
    left = {sock: [b"", messages] for sock, messages in pairs}
    for sock in left:
        sock.setblocking(False)
    while left:
        ready = select.select([], list(left), [], 0.5)[1]
        if not ready:
            return
        for sock in ready:
            data, messages = left[sock]
            data += b"".join(itertools.islice(messages, 100)) if len(data) < 4096 else b""
            try:
                left[sock][0] = data[sock.send(data) :]
            except BlockingIOError:
                left[sock][0] = data
            except ConnectionError:
                del left[sock]


def requests_of(turn):
    own = digests[turn * chunk_count // 8 :] + digests[: turn * chunk_count // 8]
    for i in range(8):
        yield frame(7, b"".join(own[i * 64 : i * 64 + 64]), i + 1)
    for number in itertools.count(9):
        yield frame(13, number=number)


def short_reads_of(turn):
    for i in itertools.count():
        yield request(READ, (turn * 16411 + 65536 * i) % (len(image) - 600), 512 + i % 2, cookie=i)


slow = [(chunk_connect(), requests_of(turn)) for turn in range(8)]
slow += [(go(turn % 2 == 0), short_reads_of(turn)) for turn in range(8)]
slow += [(go(turn % 2 == 0), itertools.repeat(request(READ, turn * 65536, len(image) // 2))) for turn in range(8)]
slow += [(chunk_connect(), itertools.repeat(frame(13))) for turn in range(4)]
flood(slow)
slow = [sock for sock, _ in slow]
report("slow", len(slow))
sock = go(True)
parts = []
for offset in range(0, len(image), 1 << 20):
    size = min(1 << 20, len(image) - offset)
    sock.sendall(request(READ, offset, size))
    error, data, _ = structured_reply(sock, offset, size)
    parts.append(data)
report("beside-slow", b"".join(parts) == image)
for sock in slow:
    sock.settimeout(20)

# ---- those who do not finish a handshake ----
half_open = [connect(nbd_path) for _ in range(200)] + [connect(chunk_path) for _ in range(200)]
sock = go(True)
sock.sendall(request(READ, 0, 1000))
report("beside-half-open", structured_reply(sock, 0, 1000)[:2] == (0, image[:1000]))
report("half-open-end", all(is_closed(sock) for sock in half_open))
open_still = not_hung_up(slow, 60)
report("slow-end", not open_still, *open_still)
