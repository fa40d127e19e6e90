# SPDX-License-Identifier: Apache-2.0
"""job - one run: what its nodes did when, what it moved, which files it used.

Time passes in the job as it computes and does I/O; how long I/O takes follows from what
the targets leave it.  Times are seconds since 1970.
"""
from . import site as S
from .darshan_log import BLOCK, File

OPEN_S = 0.0008


class Job:
    def __init__(self, site, draw, number, variety, nodes, per_node, start):
        self.site, self.draw, self.id, self.variety = site, draw, str(number), variety
        self.nodes, self.per_node = nodes, per_node
        self.partition = "gpu" if nodes[0][0] == "g" else "cpu"
        self.start = self.t = start
        self.end = None
        self.state, self.kind, self.cause, self.odd = "COMPLETED", "none", "", []
        self.user_number = draw.randrange(1, 40)
        self.uid = 2000 + self.user_number
        self.user, self.account = f"u{self.user_number:02d}", f"p{self.user_number % 9}"
        self.exe = f"/home/{self.user}/bin/{variety}"
        self.segments = []  # (begin, end, what): compute, io, serial, hang, tail
        self.transfers = []  # (OST, direction, begin, end, bytes, requests)
        self.operations = []  # (MDT, begin, end, {operation: count})
        self.files, self.phase = [], 0
        self.processes = len(nodes) * per_node
        self.osts = list(range(S.OSTS))
        self.first_ost = draw.randrange(S.OSTS)
        self.mdt = draw.randrange(S.MDTS)
        self.has_log = True
        self.named_nodes, self.named_osts, self.named_gpus = [], [], []
        self.trouble_from = self.trouble_to = None
        self.magnitude, self.neighbour, self.visible_in = None, None, []
        self.node_changes = []  # (node's index or None, from, to, function of values)
        self.profile = None
        self.slower = 1.0  # computing takes so many times as long
        self.length_s, self.will_log = 600.0, False
        self.tail_s, self.is_oom = 0.0, False
        self.paged = 0  # bytes that servers moved beyond what was asked for: whole pages
        self.unused_gpus, self.named_ranks, self.aggression = set(), [], None
        self.rss_gb, self.busy_until = None, None
        self.log_late_s = draw.gauss(0, 1.5)
        self.log_start = self.log_end = 0.0
        self.written_more = draw.uniform(1.0, 1.03)
        self.read_part = draw.uniform(0.92, 1.03)

    # ---- time ----

    def spend(self, seconds, what):
        if seconds > 0:
            self.segments.append((self.t, self.t + seconds, what))
            self.t += seconds

    def compute(self, seconds):
        self.spend(seconds * self.slower * self.draw.factor(0.03), "compute")

    def since(self, t):
        return t - self.start

    def finish(self):
        self.end = round(self.t)
        self.log_start = self.start + 0.4 + self.log_late_s
        self.log_end = max(self.log_start + 1, self.end - 0.3 + self.log_late_s)

    def cut_at(self, wanted):
        """It ends early: while it computes, next to the time that is wanted."""
        computing = [s for s in self.segments if s[2] == "compute"]
        begin, end, _ = min(computing, key=lambda s: abs((s[0] + s[1]) / 2 - wanted))
        cut = min(max(wanted, begin + 0.1 * (end - begin)), end)
        self.segments = [(b, min(e, cut), what) for b, e, what in self.segments if b < cut]
        self.transfers = [x for x in self.transfers if x[2] < cut]
        self.operations = [x for x in self.operations if x[1] < cut]
        self.files = [f for f in self.files if f.begin < cut - self.start and not f.is_stdio]
        self.t, self.tail_s = cut, 0.0
        self.transfers = [x for x in self.transfers if x[3] <= cut + 1]
        self.finish()

    # ---- I/O ----

    def place(self, rank, phase):
        return self.osts[(self.first_ost + rank + 5 * phase) % len(self.osts)]

    def own_rates(self, ranks, begin, length_s):
        """Bytes a second for each rank that has a file of its own on one OST."""
        users = {}
        for rank in ranks:
            ost = self.place(rank, self.phase)
            users[ost] = users.get(ost, 0) + 1
        rate = {ost: self.site.ost_rate(ost, begin, begin + length_s) / n for ost, n in users.items()}
        per_node = max(1, len(ranks) // len(self.nodes))
        most = min(S.PROCESS_BYTES_S, S.NODE_BYTES_S / per_node)
        return {rank: min(most, rate[self.place(rank, self.phase)]) for rank in ranks}

    def server_saw(self, direction, ost, begin, end, count, request):
        count = int(count * (self.written_more if direction == "write" else self.read_part))
        if count:
            self.transfers.append((ost, direction, begin, end, count, max(1, count // request)))

    def metadata(self, begin, end, **counts):
        self.operations.append((self.mdt, begin, end, {k: v for k, v in counts.items() if v}))

    def io_own(self, direction, share_bytes, size, name, request=4 * BLOCK, spread=0.12):
        """Each rank its own file: share_bytes {rank: bytes}, in accesses of size."""
        begin, draw = self.t, self.draw
        ranks = sorted(share_bytes)
        rates = self.own_rates(ranks, begin, 60)
        whole, longest = draw.factor(0.15), 0.0
        by_ost = {}
        for rank in ranks:
            count = max(1, share_bytes[rank] // size)
            ost = self.place(rank, self.phase)
            hang = self.site.wait(ost, begin)
            move_s = count * size / rates[rank] * whole * draw.factor(spread) + hang
            meta_s = OPEN_S * draw.factor(0.3)
            f = File(f"/scratch/{self.account}/{self.user}/{name}.{self.phase:03d}.{rank:05d}", rank,
                     [ost])
            at = self.since(begin)
            f.meta(1, 1, meta_s, at, at + meta_s)
            f.moved(direction, size, count, move_s, max(hang, move_s / count * draw.uniform(1.2, 3)),
                    at + meta_s, at + meta_s + move_s)
            self.files.append(f)
            longest = max(longest, move_s + meta_s)
            last, amount, hung = by_ost.get(ost, (0.0, 0, 0.0))
            by_ost[ost] = (max(last, move_s + meta_s), amount + count * size, hang)
        for ost, (last, amount, hung) in by_ost.items():
            self.server_saw(direction, ost, begin + hung, begin + last, amount, min(request, max(size, BLOCK)))
        self.metadata(begin, begin + longest, open=len(ranks), close=len(ranks), getattr=len(ranks),
                      mknod=len(ranks) if direction == "write" else 0)
        self.pass_io(begin, longest)

    def pass_io(self, begin, seconds):
        hang = max((self.site.wait(ost, begin) for ost in self.osts), default=0)
        hang = min(hang, seconds) if seconds > hang else 0
        self.spend(hang, "hang")
        self.spend(seconds - hang, "io")
        self.phase += 1

    def shared_s(self, total, osts, begin):
        slowest = max(total / len(osts) / self.site.ost_rate(o, begin, begin + 60) + self.site.wait(o, begin)
                      for o in osts)
        return max(slowest, total / (self.processes * S.PROCESS_BYTES_S),
                   total / (len(self.nodes) * S.NODE_BYTES_S))

    def io_shared(self, direction, total, size, name, osts, collective=False):
        """All ranks one file over osts, each a part of the same size."""
        begin, draw, n = self.t, self.draw, self.processes
        count = max(n, total // size)
        total = count * size
        seconds = self.shared_s(total, osts, begin) * draw.factor(0.15)
        hang = max(self.site.wait(o, begin) for o in osts)
        movers = min(n, 2 * len(self.nodes)) if collective else n
        each = [min(1.0, draw.factor(0.12) * 0.85) for _ in range(movers)]
        slowest = each.index(max(each))
        scale = seconds / each[slowest]
        f = File(f"/scratch/{self.account}/{self.user}/{name}.{self.phase:03d}", -1, osts)
        at = self.since(begin)
        meta_s = OPEN_S * n * draw.uniform(0.8, 1.5)
        f.meta(n, n, meta_s, at, at + OPEN_S)
        f.moved(direction, size, count, sum(each) * scale,
                max(hang, seconds * movers / count * draw.uniform(1.2, 3)), at + OPEN_S, at + OPEN_S + seconds)
        mean = sum(each) / movers * scale
        f.fast = (each.index(min(each)), total // movers, min(each) * scale)
        f.slow = (slowest, total // movers, seconds)
        f.variance_s = sum((e * scale - mean) ** 2 for e in each) / movers
        if collective:
            f.collective, f.mpiio_s = n, n * seconds * draw.uniform(0.96, 1.0)
            f.collective_calls = max(1, total // (n * 16 * BLOCK))
        self.files.append(f)
        for o in osts:
            self.server_saw(direction, o, begin + hang, begin + seconds, total // len(osts), 4 * BLOCK)
        self.metadata(begin, begin + seconds, open=n, close=n, getattr=n, setattr=1)
        self.pass_io(begin, seconds)

    def log_of_rank_0(self):
        """Lines that process 0 prints: some MB over the whole run, by stdio."""
        draw = self.draw
        lines = int(draw.log(2e3, 8e4))
        f = File(f"/scratch/{self.account}/{self.user}/log.txt", 0, [self.place(0, 0)])
        f.is_stdio, length = True, self.since(self.t)
        f.meta(1, 0, 0.001, 1.0, 1.001)
        f.moved("write", draw.randrange(60, 110), lines, lines * 2e-6, 0.003, 1.0, max(2.0, length - 1))
        self.files.append(f)
        self.server_saw("write", self.place(0, 0), self.start + 1, self.t, f.bytes_written(), BLOCK)
        self.odd.append("rank 0 logs")
