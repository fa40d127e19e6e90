# SPDX-License-Identifier: Apache-2.0
"""servers - what Lustre servers count: totals of targets, and rows of jobs by target.

All traffic is put into cells of a minute; totals and rows are made of the same cells, so that
the rows of all identifiers add up to the totals.
"""
import json

from . import site as S
from .draw import Draw, spread

BYTES = ("read_bytes", "read_bytes_samples", "write_bytes", "write_bytes_samples")
OPERATIONS = ("open", "close", "mknod", "unlink", "getattr", "setattr")


class Cells:
    """(kind, target) -> identifier -> cell -> counts."""

    def __init__(self, centre):
        self.site, self.by_target = centre.site, {}
        self.gaps = {}
        for kind, count in (("ost", S.OSTS), ("mdt", S.MDTS)):
            for number in range(count):
                self.by_target[kind, number] = {}
        for job in centre.jobs + centre.others + centre.aggressors:
            for ost, direction, begin, end, amount, requests in job.transfers:
                self.add_bytes(job.id, ost, direction, begin, end, amount, requests)
            for mdt, begin, end, counts in job.operations:
                self.add_operations(job.id, mdt, begin, end, counts)
        for entry in centre.steady():
            if entry[0] == "bytes":
                self.add_bytes(*entry[1:])
            else:
                self.add_operations(*entry[1:])

    def late(self, kind, number):
        server = S.OSS[number // 4] if kind == "ost" else S.MDS[number // 2]
        return self.site.clock[server]

    def cell_of(self, ost, cell):
        """While its server is away nothing is done: that is done when it is back."""
        for away, back, until, server in self.site.failovers:
            if server != ost // 4:
                continue
            for begin, end in ((away, back), (until, until + 90)):
                if begin < 60 * (cell + 1) and 60 * cell < end:
                    return int(end // 60) + 1
        return cell

    def put(self, kind, number, identifier, cell, column, amount, width):
        cells = self.by_target[kind, number].setdefault(identifier, {})
        cells.setdefault(cell, [0] * width)[column] += amount

    def add_bytes(self, identifier, ost, direction, begin, end, amount, requests):
        late, column = self.late("ost", ost), 0 if direction == "read" else 2
        for which, total in ((column, amount), (column + 1, requests)):
            for cell, share in spread(total, begin + late, end + late, S.STEP):
                self.put("ost", ost, identifier, self.cell_of(ost, cell), which, share, 4)

    def add_operations(self, identifier, mdt, begin, end, counts):
        late = self.late("mdt", mdt)
        for name, total in counts.items():
            for cell, share in spread(total, begin + late, end + late, S.STEP):
                self.put("mdt", mdt, identifier, cell, OPERATIONS.index(name), share, len(OPERATIONS))

    def totals(self, kind, number):
        out = {}
        for cells in self.by_target[kind, number].values():
            for cell, counts in cells.items():
                have = out.setdefault(cell, [0] * len(counts))
                for i, count in enumerate(counts):
                    have[i] += count
        return out


def server_at(centre, kind, number, t):
    return centre.site.server_of(number, t) if kind == "ost" else S.MDS[number // 2]


def name_of(kind, number):
    return S.ost_name(number) if kind == "ost" else S.mdt_name(number)


def space_of(centre, kind, number, t, written):
    """Bytes in all and free; what is written is removed again by somebody."""
    total = (S.OST_KIB if kind == "ost" else S.OST_KIB // 25) * 1024
    full = centre.site.fullness[number] if kind == "ost" else centre.site.mdt_fullness[number]
    return total, int(total * (1 - full)) - (written % (total // 2000)) // 1024 * 1024


def total_lines(centre, cells):
    """Lines of totals as baro-agent sends them, in the order of targets."""
    draw = Draw(centre.seed, centre.kind, "servers")
    first, last = centre.begin // 60, centre.end // 60
    moved = {}  # server -> cell -> bytes, operations
    for kind, number in cells.by_target:
        totals, sums, names = cells.totals(kind, number), None, None
        names = [f"lustre_{n}" for n in BYTES] if kind == "ost" else [f"lustre_{n}_samples" for n in OPERATIONS]
        server, written = None, 0
        for cell in range(first, last):
            t = 60 * (cell + 1)
            now = server_at(centre, kind, number, t)
            counts = totals.get(cell)
            if now is None:
                server = None
                continue
            if now != server:
                sums = [draw.randrange(1 << 50) if cell == first else 0 for _ in names]
                server = now
            if counts and not (cell == first):
                sums = [a + b for a, b in zip(sums, counts)]
            if counts:
                written += counts[2] if kind == "ost" else 0
                load = moved.setdefault(now, {}).setdefault(cell, [0, 0])
                load[0 if kind == "ost" else 1] += counts[0] + counts[2] if kind == "ost" else sum(counts)
            tags = f",cluster={S.FS},hostname={now},type={kind},type-id={name_of(kind, number)} value="
            for name, value in zip(names, sums):
                yield f"{name}{tags}{value} {t}\n"
            capacity, free = space_of(centre, kind, number, t, written)
            yield (f"lustre_capacity_bytes{tags}{capacity} {t}\nlustre_free_bytes{tags}{free} {t}\n"
                   f"lustre_fullness{tags}{100 * (1 - free / capacity):.5g} {t}\n")
    for server in S.OSS + S.MDS:
        for cell in range(first, last):
            t = 60 * (cell + 1)
            if server in S.OSS and centre.site.server_of(4 * S.OSS.index(server), t) != server:
                continue
            count, ops = moved.get(server, {}).get(cell, (0, 0))
            busy = 4 + 55 * count / (60 * 4 * S.OST_BYTES_S) + 85 * ops / (60 * S.MDT_OPS_S)
            busy = min(98.0, busy * draw.factor(0.06))
            tags = f",cluster={S.FS},hostname={server},type=node value="
            yield (f"server_cpu_busy{tags}{busy:.4g} {t}\nserver_load{tags}{busy * 0.4:.4g} {t}\n"
                   f"server_memory_bytes{tags}{256 << 30} {t}\n"
                   f"server_memory_available_bytes{tags}{int((120 + draw.gauss(0, 2)) * 2**30)} {t}\n")


class Entry:
    """Counters of an identifier on a target, since when it has a row, and where."""

    def __init__(self, width):
        self.sums, self.last, self.server = [0] * width, None, None


def stamp(t):
    import time
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(t))


def ops_of(kind, sums, counts):
    if kind == "ost":
        return {name: {"samples": max(1, sums[k + 1]), "unit": "bytes", "min": 4096, "max": 4194304, "sum": sums[k]}
                for k, name in ((0, "read_bytes"), (2, "write_bytes")) if sums[k] or sums[k + 1]}
    return {name: {"samples": n, "unit": "usecs"} for name, n in zip(OPERATIONS, sums) if n}


def zero_of(ops):
    return {name: {"samples": 0, "unit": op["unit"], **({"sum": 0} if "sum" in op else {})}
            for name, op in ops.items()}


def rows(centre, cells):
    """(server, time, target, entries) of each reading in which something had moved."""
    for kind, number in cells.by_target:
        by_cell = {}
        for identifier, mine in sorted(cells.by_target[kind, number].items()):
            for cell, counts in mine.items():
                by_cell.setdefault(cell, []).append((identifier, counts))
        known = {}
        for cell in sorted(by_cell):
            t = 60 * (cell + 1)
            server = server_at(centre, kind, number, t)
            if server is None or t > centre.end or cell <= centre.begin // 60:
                continue
            zeros, entries = [], []
            for identifier, counts in by_cell[cell]:
                entry = known.setdefault(identifier, Entry(len(counts)))
                is_new = entry.server != server
                if is_new:
                    entry.sums, entry.server = [0] * len(counts), server
                entry.sums = [a + b for a, b in zip(entry.sums, counts)]
                ops = ops_of(kind, entry.sums, counts)
                if is_new:
                    zeros.append(row(identifier, None, None, True, None, zero_of(ops)))
                    entry.last = t - 60
                entries.append(row(identifier, entry.last, entry.last, is_new, t, ops))
                entry.last = t
            if zeros:
                yield server, t - 60, kind, name_of(kind, number), zeros
            yield server, t, kind, name_of(kind, number), entries


def row(identifier, since, previous, reset, snapshot, ops):
    text = lambda t: stamp(t) if t is not None else None
    return {"entry_id": identifier, "exact": True, "since": text(since), "previous": text(previous),
            "reset": reset, "snapshot_time": snapshot, "start_time": None, "ops": ops}


def batches(centre, cells, length_s=1800):
    """Bodies of POST /v1/jobstats: a server's readings of half an hour each."""
    groups = {}
    for server, t, kind, target, entries in rows(centre, cells):
        groups.setdefault((t // length_s, server), []).append((t, kind, target, entries))
    for n, ((_, server), readings) in enumerate(sorted(groups.items())):
        readings.sort(key=lambda reading: (reading[0], reading[2]))
        merged = {}
        for t, kind, target, entries in readings:
            merged.setdefault((t, kind, target), []).extend(entries)
        yield json.dumps({"format": "baro-jobstats-1", "agent": f"00000000-0000-4000-8000-{hash_of(server):012d}",
                          "sequence": n, "server": server,
                          "targets": [{"target": target, "kind": kind, "timestamp": stamp(t), "entries": entries}
                                      for (t, kind, target), entries in merged.items()]},
                         separators=(",", ":"))


def hash_of(server):
    return (S.OSS + S.MDS).index(server) + 1
