# SPDX-License-Identifier: Apache-2.0
"""A client of the chunk door that pushes what it should not.

push_hostile.py UID SOCKET|PORT CASE [IMAGE]: one word for each response of the server: the frame's type, and the
code of a FAILED; "closed".
"""
import encodings.idna, hashlib, os, random, socket, struct, subprocess, sys, time

HELLO, RESOLVE, INDEX, PING, FAILED, PERMIT = 1, 3, 5, 13, 15, 18
PUSH, PUSHED, PUT, COMMIT, COMMITTED = 25, 26, 27, 28, 29
uid, where, case = int(sys.argv[1]), sys.argv[2], sys.argv[3]
if case != "places" and os.getuid() == 0:
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)


def sha(data):
    return hashlib.sha256(data).digest()


def merkle(leaves):
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return sha(b"\1" + merkle(leaves[:k]) + merkle(leaves[k:]))


def xxh3(data):
    """By the library that the programs use, too."""
    import ctypes, ctypes.util
    library = ctypes.CDLL(ctypes.util.find_library("xxhash"))
    library.XXH3_64bits.restype = ctypes.c_uint64
    library.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return library.XXH3_64bits(data, len(data))


def index_of(image, name=None, size=65536):
    pieces = [image[i:i + size] for i in range(0, len(image), size)]
    leaves, at = [], 0
    for piece in pieces:
        leaves.append(sha(b"\0" + struct.pack("<QI", at, len(piece)) + sha(piece)))
        at += len(piece)
    head = b"barodidx" + struct.pack("<IIQ", 1, 104, len(image)) + (name or sha(image)) + merkle(leaves)
    head += struct.pack("<Q", len(pieces))
    head += struct.pack("<Q", xxh3(head))
    return head + b"".join(struct.pack("<I", len(p)) + sha(p) for p in pieces), pieces


class Client:
    def __init__(self):
        if where.startswith("/"):
            self.s = socket.socket(socket.AF_UNIX)
            self.s.connect(where)
        else:
            self.s = socket.create_connection(("127.0.0.1", int(where)))
        self.s.settimeout(60)
        self.id = 0
        self.call(HELLO, b"barochnk" + struct.pack("<IIII", 1, 64, 512, 0))

    def exactly(self, size):
        data = b""
        while len(data) < size:
            piece = self.s.recv(size - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def send(self, kind, body):
        self.id += 1
        self.s.sendall(struct.pack("<IHHQ", len(body), kind, 0, self.id) + body)

    def read(self):
        size, kind, position, _ = struct.unpack("<IHHQ", self.exactly(16))
        self.body = self.exactly(size)
        self.frame = (size, kind, position, self.body)
        return f"{kind}:{struct.unpack('<I', self.body[:4])[0]}" if kind == FAILED else str(kind)

    def call(self, kind, body):
        try:
            self.send(kind, body)
            return self.read()
        except (EOFError, ConnectionError):
            return "closed"

    def offer(self, index, image_bytes, name, total=None):
        head = name + struct.pack("<QQ", image_bytes, total if total is not None else len(index))
        first = self.call(PUSH, head + struct.pack("<Q", 0))
        if not first.startswith(str(PUSHED)) or not index:
            return first
        at = struct.unpack("<Q", self.body[:8])[0]
        while at < len(index):
            first = self.call(PUSH, head + struct.pack("<Q", at) + index[at:at + 100000])
            if not first.startswith(str(PUSHED)):
                return first
            at = struct.unpack("<Q", self.body[:8])[0]
        return first

    def put(self, number, piece, plain=None):
        return self.call(PUT, struct.pack("<II", number, len(piece) if plain is None else plain) + piece)

    def push(self, image, name=None, facts=b"access private\n"):
        name = name or sha(image)
        index, pieces = index_of(image, name)
        words = [self.offer(index, len(image), name)]
        if words[0] != str(PUSHED):
            return words
        self.bits = self.body[8:]
        self.missing = [i for i in range(len(pieces)) if self.bits[i // 8] >> i % 8 & 1]
        for i in self.missing:
            word = self.put(i, pieces[i])
            if word != "17":
                words.append(word)
        return words + [self.call(COMMIT, facts)]


def noise(size, seed=17):
    return random.Random(seed).randbytes(size)


def text(client):
    return client.body[4:].decode(errors="replace")


c = Client()
if case == "replies":  # NAME...: the whole responses to RESOLVE, INDEX and PERMIT, as one digest
    seen = []
    for word in sys.argv[4:]:
        whole = hashlib.sha256()
        digest = bytes.fromhex(word) if len(word) == 64 else sha(word.encode())
        for kind, body in ((RESOLVE, word.encode()), (INDEX, digest + bytes(8)), (PERMIT, digest + bytes(8))):
            c.call(kind, body)
            whole.update(repr(c.frame).encode())
        seen.append(whole.hexdigest()[:8])
    print("same" if len(set(seen)) == 1 else "differ", c.frame[1], struct.unpack("<I", c.body[:4])[0])
elif case == "image":  # IMAGE: pushed as an honest client does
    print(*c.push(open(sys.argv[4], "rb").read()))
elif case == "missing":  # IMAGE: how many of its chunks are to be sent, of how many
    image = open(sys.argv[4], "rb").read()
    index, pieces = index_of(image)
    c.offer(index, len(image), sha(image))
    print(bin(int.from_bytes(c.body[8:], "little")).count("1"), len(pieces))
elif case == "none":  # what is no image
    words = c.push(noise(300000))
    print(*words, text(c))
elif case == "truncated":  # of an image, its last chunk is missing
    print(*c.push(open(sys.argv[4], "rb").read()[:-65536]))
elif case == "name":  # the index names an image that these chunks are not
    print(*c.push(noise(300000, 2), name=sha(b"another")))
elif case == "wrong":  # chunks that are not what the index states; then the right ones
    image = noise(300000, 3)
    index, pieces = index_of(image)
    c.offer(index, len(image), sha(image))
    print(c.put(0, pieces[1]), c.put(0, pieces[0][:-1]), c.put(99, pieces[0]), c.put(0, b"zstd?", 65536),
          c.put(4294967295, pieces[0]), c.put(0, pieces[0]))
elif case == "sizes":  # sizes that are not possible, or not to be had
    index, _ = index_of(noise(300000, 4))
    name = sha(noise(300000, 4))
    print(c.offer(b"", 1 << 50, name, 1000), c.offer(b"", 0, name, 104), c.offer(b"", 300000, name, 1 << 26),
          c.offer(b"", 300000, name, 1 << 40), c.offer(b"", (1 << 64) - 1, name, 104))
    print(c.offer(index, 299999, name), Client().offer(index[:50] + index[49:], 300000, name))
elif case == "early":  # COMMIT before everything is there
    image = noise(300000, 5)
    index, pieces = index_of(image)
    c.offer(index, len(image), sha(image))
    c.put(0, pieces[0])
    print(c.call(COMMIT, b"access private\n"))
elif case == "order":  # what does not follow ends a connection
    index, pieces = index_of(noise(300000, 6))
    name = sha(noise(300000, 6))
    head = name + struct.pack("<QQ", 300000, len(index))
    words = [c.put(0, pieces[0])]
    words.append(Client().call(COMMIT, b""))
    words.append(Client().call(PUSH, head + struct.pack("<Q", 0) + index))
    d = Client()
    d.call(PUSH, head + struct.pack("<Q", 0))
    words.append(d.put(0, pieces[0]))
    d = Client()
    d.call(PUSH, head + struct.pack("<Q", 0))
    words.append(d.call(PUSH, head + struct.pack("<Q", 5) + index[:10]))
    d = Client()
    words.append(d.call(COMMITTED, bytes(8)))
    words.append(Client().call(PUSHED, bytes(8)))
    print(*words)
elif case == "flood":  # more chunks in flight than may be: it is ended, or each has its response
    image = noise(64 * 65536, 7)
    index, pieces = index_of(image)
    c.offer(index, len(image), sha(image))
    try:
        for i in range(64):
            c.send(PUT, struct.pack("<II", i, 65536) + pieces[i])
        for i in range(64):
            c.read()
        print("each")
    except (EOFError, ConnectionError):
        print("closed")
elif case == "facts":  # facts that are none, in one connection each
    image = open(sys.argv[4], "rb").read()
    words = []
    for facts in (b"access private", b"access nobody\n", b"owner 0\n", b"label a=\x1b[2J\n", b"set PATH=/x\n",
                  b"view v\nset LD_PRELOAD=/x\n", b"tag a\ntag b\n", b"label " + b"x" * 300 + b"\n", b"view none\n",
                  b"label a=b\n" * 65, b"tag other/x\n", b"tag -x\n"):
        words.append(Client().push(image, facts=facts)[-1])
    print(*words)
elif case == "many":  # connections that push, of one user
    clients, words = [c] + [Client() for _ in range(4)], []
    for i, client in enumerate(clients):
        index, _ = index_of(noise(200000, 100 + i))
        words.append(client.offer(index, 200000, sha(noise(200000, 100 + i))))
    print(*words)
elif case == "twice":  # two connections push the same image
    index, _ = index_of(noise(200000, 200))
    name = sha(noise(200000, 200))
    print(c.offer(index, 200000, name), Client().offer(index, 200000, name))
elif case == "images":  # images that are begun and left: so many may be
    words = []
    for i in range(18):
        index, _ = index_of(noise(200000, 300 + i))
        words.append(c.offer(index, 200000, sha(noise(200000, 300 + i))))
    print(words.count("26"), *words[16:], text(c))
elif case == "idle":  # it begins, then sends a byte now and then
    index, _ = index_of(noise(200000, 400))
    c.offer(index, 200000, sha(noise(200000, 400)))
    begun = time.monotonic()
    try:
        while time.monotonic() - begun < 30:
            c.s.sendall(struct.pack("<IHHQ", 65544, PUT, 0, 9)[:1])
            time.sleep(0.3)
            c.s.settimeout(0.1)
            try:
                if not c.s.recv(1):
                    break
            except TimeoutError:
                pass
        print("closed" if time.monotonic() - begun < 20 else "open")
    except ConnectionError:
        print("closed")
elif case == "repeat":  # it begins, then repeats that, without a byte of anything
    index, _ = index_of(noise(200000, 500))
    name, begun, word = sha(noise(200000, 500)), time.monotonic(), ""
    c.offer(index[:1000], 200000, name, len(index))
    head = name + struct.pack("<QQQ", 200000, len(index), 0)
    while word != "closed" and time.monotonic() - begun < 30:
        word = c.call(PUSH, head)
        time.sleep(0.3)
    print("closed" if time.monotonic() - begun < 20 else "open")
elif case == "places":  # OTHER UIDs have all 16 places, then this user wants one
    children = []
    for other in sys.argv[4:]:
        for i in range(4):
            children.append(subprocess.Popen(
                ["setpriv", "--reuid", other, "--regid", other, "--clear-groups", sys.executable, __file__, other,
                 where, "hold", str(i)], stdout=subprocess.PIPE))
    held = [child.stdout.readline().decode().strip() for child in children]
    index, _ = index_of(noise(200000, 600))
    words = [c.offer(index, 200000, sha(noise(200000, 600)))]
    time.sleep(6)
    d = Client()
    words.append(d.offer(index, 200000, sha(noise(200000, 600))))
    for child in children:
        child.kill()
        child.wait()
    print(held.count("26"), *words)
elif case == "hold":  # it begins, and remains
    image = noise(200000, 700 + int(sys.argv[4]))
    index, _ = index_of(image)
    print(c.offer(index, 200000, sha(image)), flush=True)
    time.sleep(60)
