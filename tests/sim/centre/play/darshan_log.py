# SPDX-License-Identifier: Apache-2.0
"""darshan_log - writes logs of format 3.41 (doc/formats/darshan.md) from what files saw."""
import struct
import zlib

POSIX, MPIIO, LUSTRE, STDIO = 1, 2, 8, 9
SIZES = (100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30)
BLOCK = 1 << 20


def size_class(size):
    for i, most in enumerate(SIZES):
        if size <= most:
            return i
    return 9


class File:
    """What one process (or, rank -1, all together) did to one file."""

    def __init__(self, path, rank, osts, stripe=BLOCK):
        self.path, self.rank, self.osts, self.stripe = path, rank, osts, stripe
        self.opens = self.stats = self.seeks = self.fsyncs = 0
        self.reads, self.writes = {}, {}  # size -> count
        self.read_s = self.write_s = self.meta_s = 0.0
        self.read_most = self.write_most = 0.0  # the longest access
        self.begin, self.end = None, 0.0  # relative to the job's start
        self.read_begin = self.read_end = self.write_begin = self.write_end = 0.0
        self.in_order = 1.0  # share of accesses behind the one before
        self.is_aligned = True
        self.fast = self.slow = None  # (rank, bytes, seconds) of a shared file
        self.variance_s = 0.0
        self.collective = 0  # processes of a collective access by MPI-IO, 0: no MPI-IO
        self.collective_calls = 1
        self.mpiio_s = 0.0
        self.is_stdio = False

    def bytes_read(self):
        return sum(size * count for size, count in self.reads.items())

    def bytes_written(self):
        return sum(size * count for size, count in self.writes.items())

    def moved(self, direction, size, count, seconds, longest, begin, end):
        by_size = self.reads if direction == "read" else self.writes
        by_size[size] = by_size.get(size, 0) + count
        if direction == "read":
            self.read_begin = self.read_begin or begin
            self.read_s, self.read_end = self.read_s + seconds, end
            self.read_most = max(self.read_most, longest)
        else:
            self.write_begin = self.write_begin or begin
            self.write_s, self.write_end = self.write_s + seconds, end
            self.write_most = max(self.write_most, longest)
        if self.begin is None:
            self.begin = begin
        self.end = max(self.end, end)

    def meta(self, opens, stats, seconds, begin, end):
        self.opens += opens
        self.stats += stats
        self.meta_s += seconds
        if self.begin is None:
            self.begin = begin
        self.end = max(self.end, end)


def histogram(by_size):
    cells = [0] * 10
    for size, count in by_size.items():
        cells[size_class(size)] += count
    return cells


def common(*tables):
    counts = {}
    for table in tables:
        for size, count in table.items():
            counts[size] = counts.get(size, 0) + count
    top = sorted(counts.items(), key=lambda item: (-item[1], -item[0]))[:4]
    top += [(0, 0)] * (4 - len(top))
    return [size for size, _ in top], [count for _, count in top]


def unaligned(f):
    """Accesses that do not begin at a block of the file system."""
    if not f.is_aligned:
        return int(0.97 * (sum(f.reads.values()) + sum(f.writes.values())))
    return sum(int(0.95 * count) for table in (f.reads, f.writes)
               for size, count in table.items() if size % BLOCK)


def ranks(f):
    if f.rank >= 0 or not f.slow:
        return [0, 0, 0, 0], [0.0, 0.0, 0.0, 0.0]
    return ([f.fast[0], f.fast[1], f.slow[0], f.slow[1]],
            [f.fast[2], f.slow[2], f.variance_s, 0.0])


def times(f):
    begin = f.begin or 0.0
    return [begin, f.read_begin, f.write_begin, f.end,
            min(begin + f.meta_s, f.end), f.read_end, f.write_end, f.end]


def posix_record(f):
    reads, writes = sum(f.reads.values()), sum(f.writes.values())
    order = lambda n: max(0, int(f.in_order * (n - 1)))
    sizes, counts = common(f.reads, f.writes)
    read_max = max(f.reads, default=0)
    write_max = max(f.writes, default=0)
    who, spread_s = ranks(f)
    words = [f.opens, 0, 0, reads, writes, f.seeks, f.stats, 0, f.fsyncs, 0, 0, 0, 0, 0o644,
             f.bytes_read(), f.bytes_written(), max(0, f.bytes_read() - 1), max(0, f.bytes_written() - 1),
             order(reads), order(writes), order(reads), order(writes),
             min(1, reads) * min(1, writes), 0, 8, unaligned(f), BLOCK, read_max, write_max]
    words += histogram(f.reads) + histogram(f.writes) + [0] * 8 + sizes + counts + who
    doubles = times(f) + [f.read_s, f.write_s, f.meta_s, f.read_most, f.write_most] + spread_s
    return struct.pack("<69q17d", *words, *doubles)


def mpiio_record(f):
    """All processes call, a few of them (aggregators) move what POSIX shows."""
    n, calls = f.collective, f.collective * f.collective_calls
    tables = [{total // calls: calls} if total else {}
              for total in (f.bytes_read(), f.bytes_written())]
    who, spread_s = ranks(f)
    reads, writes = (sum(table.values()) for table in tables)
    words = [0, n, 0, 0, reads, writes, 0, 0, 0, 0, 0, 0, n, 2, f.bytes_read(), f.bytes_written(), 0,
             max(tables[0], default=0), max(tables[1], default=0)]
    sizes, counts = common(*tables)
    words += histogram(tables[0]) + histogram(tables[1]) + sizes + counts + who
    share = f.mpiio_s / max(f.read_s + f.write_s, 1e-9)
    doubles = times(f) + [f.read_s * share, f.write_s * share, f.meta_s,
                          f.read_most, f.write_most] + spread_s
    return struct.pack("<51q17d", *words, *doubles)


def stdio_record(f):
    who, spread_s = ranks(f)
    words = [f.opens, 0, sum(f.reads.values()), sum(f.writes.values()), 0, 4, f.bytes_written(),
             f.bytes_read(), max(0, f.bytes_read() - 1), max(0, f.bytes_written() - 1)] + who
    begin = f.begin or 0.0
    doubles = [f.meta_s, f.write_s, f.read_s, begin, f.end, f.write_begin, f.read_begin,
               begin, f.end, f.write_end, f.read_end] + spread_s
    return struct.pack("<14q15d", *words, *doubles)


def write(job, path):
    """job: .uid .log_start .log_end (seconds) .processes .id .exe .files"""
    regions = {POSIX: [], MPIIO: [], LUSTRE: [], STDIO: []}
    names, layouts = {}, set()
    for f in job.files:
        number = zlib.crc32(f.path.encode()) << 24 | len(f.path)
        names[number] = f.path
        head = struct.pack("<Qq", number, f.rank)
        if f.is_stdio:
            regions[STDIO].append(head + stdio_record(f))
            continue
        regions[POSIX].append(head + posix_record(f))
        if f.collective:
            regions[MPIIO].append(head + mpiio_record(f))
        if number not in layouts:
            layouts.add(number)
            regions[LUSTRE].append(head + struct.pack(
                f"<5q{len(f.osts)}q", 16, 4, 0, f.stripe, len(f.osts), *f.osts))
    nanoseconds = lambda t: (int(t), int((t - int(t)) * 1e9))
    head = struct.pack("<7q", job.uid, *nanoseconds(job.log_start), *nanoseconds(job.log_end),
                       job.processes, int(job.id))
    body = [zlib.compress(head + b"lib_ver=3.4.4\nh=romio_no_indep_rw=true;cb_nodes=4\n".ljust(1024, b"\0") +
                          f"{job.exe}\nlustre\t/scratch\n".encode() + b"\0", 6),
            zlib.compress(b"".join(struct.pack("<Q", n) + p.encode() + b"\0"
                                   for n, p in names.items()), 6)]
    slots, at = [(0, 0)] * 64, 1328 + len(body[0])
    name_map = (at, len(body[1]))
    at += len(body[1])
    for slot in sorted(regions):
        if regions[slot]:
            body.append(zlib.compress(b"".join(regions[slot]), 1))
            slots[slot] = (at, len(body[-1]))
            at += len(body[-1])
    versions = [0] * 64
    versions[POSIX], versions[MPIIO], versions[LUSTRE], versions[STDIO] = 4, 3, 1, 2
    header = struct.pack("<8sqB7xQ2Q", b"3.41", 6567223, 0, 0, *name_map)
    header += b"".join(struct.pack("<2Q", *s) for s in slots) + struct.pack("<64I", *versions)
    with open(path, "wb") as out:
        out.write(header + b"".join(body))


def read_bytes(path):
    """Bytes read and written of a log, by POSIX and STDIO: what check holds against servers."""
    with open(path, "rb") as log:
        data = log.read()
    total = [0, 0]
    for slot, size, at_read, at_written in ((POSIX, 704, 14, 15), (STDIO, 248, 7, 6)):
        offset, length = struct.unpack_from("<2Q", data, 48 + 16 * slot)
        if not length:
            continue
        records = zlib.decompress(data[offset:offset + length])
        for begin in range(0, len(records), size):
            total[0] += struct.unpack_from("<q", records, begin + 16 + 8 * at_read)[0]
            total[1] += struct.unpack_from("<q", records, begin + 16 + 8 * at_written)[0]
    return total
