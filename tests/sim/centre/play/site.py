# SPDX-License-Identifier: Apache-2.0
"""site - the nodes, servers and targets of the centre, and how busy they are for others."""
from .draw import Draw

CLUSTER, FS = "nova", "scratch"
OSTS, OST_BYTES_S, OST_KIB = 16, 2.5e9, 100 * 1000**4 // 1024
OSS = [f"oss{i:02d}" for i in range(1, 5)]
MDS = ["mds01", "mds02"]
MDTS, MDT_OPS_S = 4, 6e4
NODE_BYTES_S, PROCESS_BYTES_S = 6e9, 1.0e9
CORES = {"cpu": 72, "gpu": 64}
MEM_GB = {"cpu": 253.6, "gpu": 509.2}  # what the kernel has of 256 and 512
GPUS = [f"00000000:{bus}:00.0" for bus in ("01", "41", "81", "C1")]
FLOPS_PEAK, BW_PEAK = 4000.0, 300.0
STEP, STEP_HEALTH = 60, 600

# Three jobs of the kind run side by side, each on nodes of its own; the rest is others'.
POOLS = {"cpu": [range(1, 65), range(65, 97), range(97, 113), range(113, 129)],
         "gpu": [range(1, 7), range(7, 13), range(13, 19), range(19, 25)]}


def ost_name(ost):
    return f"{FS}-OST{ost:04x}"


def mdt_name(mdt):
    return f"{FS}-MDT{mdt:04x}"


class Wander:
    """A share that others take, a minute a value, between low and high."""

    def __init__(self, draw, begin, length_s, low, high):
        self.begin, self.values = begin, []
        middle = draw.uniform(low * 2, high * 0.6)
        value = middle
        for _ in range(length_s // 60 + 2):
            value += 0.15 * (middle - value) + draw.gauss(0, (high - low) * 0.07)
            value = min(max(value, low), high)
            self.values.append(value)

    def at(self, t):
        i = int((t - self.begin) // 60)
        return self.values[min(max(i, 0), len(self.values) - 1)]

    def mean(self, begin, end):
        return sum(self.at(begin + (end - begin) * k / 4) for k in range(5)) / 5


class Site:
    """What lasts: levels of nodes, fullness of targets, which others are busy when."""

    def __init__(self, seed, begin, length_s):
        draw = Draw(seed, "site")
        self.seed, self.begin, self.length_s = seed, begin, length_s
        self.level, self.clock = {}, {}
        for letter, count, digits in (("c", 128, 3), ("g", 24, 2)):
            for i in range(1, count + 1):
                node = f"{letter}{i:0{digits}d}"
                self.level[node] = draw.gauss(1, 0.025)
                self.clock[node] = draw.gauss(0, 0.7)
        for server in OSS + MDS:
            self.clock[server] = draw.gauss(0, 0.5)
            if draw.chance(1 / 30):
                self.clock[server] = draw.choice((-1, 1)) * draw.uniform(5, 20)
        self.fullness = [draw.uniform(0.40, 0.75) for _ in range(OSTS)]
        self.mdt_fullness = [draw.uniform(0.08, 0.35) for _ in range(MDTS)]
        if draw.chance(0.4):
            self.fullness[draw.randrange(OSTS)] = draw.uniform(0.80, 0.88)
        self.ost_busy = [Wander(Draw(seed, "ost", o), begin, length_s, 0.03, 0.35)
                         for o in range(OSTS)]
        self.mdt_busy = [Wander(Draw(seed, "mdt", m), begin, length_s, 0.02, 0.15)
                         for m in range(MDTS)]
        self.slow_osts = {}  # OST -> how many times slower than it should be: it is full
        self.failovers = []  # (begin, back, until, server): away, then on its partner
        self.hot = []  # (begin, end, OST, factor): a neighbour takes the rest

    def partner(self, server):
        return server ^ 1

    def ost_rate(self, ost, begin, end):
        """Bytes a second that a target has left for one job."""
        rate = OST_BYTES_S * (1 - self.ost_busy[ost].mean(begin, end))
        rate /= self.slow_osts.get(ost, 1)
        for away, back, until, server in self.failovers:
            if begin < until and end > back and ost // 4 in (server, self.partner(server)):
                rate /= 2
        for hot_begin, hot_end, hot_ost, factor in self.hot:
            if ost == hot_ost and begin < hot_end and end > hot_begin:
                rate /= factor
        return rate

    def wait(self, ost, t):
        """How long an access that begins at t hangs, since its server is away."""
        for away, back, _, server in self.failovers:
            if away <= t < back and ost // 4 == server:
                return back - t
        return 0.0

    def server_of(self, ost, t):
        """The server that has a target, None while none has."""
        server = ost // 4
        for away, back, until, down in self.failovers:
            if down == server and away <= t < until:
                return OSS[self.partner(server)] if t >= back else None
        return OSS[server]
