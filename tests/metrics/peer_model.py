#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""peer_model.py - what cc-metric-store 1.5.4 would answer, in the form of captured.py.

    peer_model.py [--seed N] [--single] [--jitter S] [--drift S] >FILE

A small model of its buffers (512 steps each, from the first sample on), its way of
reading and adding them up, its resampler and its health check, written to be read.  It
draws series with gaps, questions and health checks by chance; captured.py plays them
into barod.  --single: no question that adds series up, for the mode that is not strict.
Samples come in order: what comes late is where barod is better on purpose.  So are
clocks that wander (--jitter: seconds beside each step, --drift: a step): the peer
anchors each buffer anew and has samples collide or leave holes, barod follows them.
"""
import argparse, json, math, random

CAPACITY = 512
POINTS_MIN = 1000
STEP = 60
NAN = math.nan


class Buffer:
    def __init__(self, t):
        self.start, self.data = t - STEP // 2, []
        self.previous = self.next = None

    def first(self):
        return self.start + STEP // 2


class Series:
    def __init__(self):
        self.head = None

    def write(self, t, value):
        if not self.head:
            self.head = Buffer(t)
        k = (t - self.head.start) // STEP
        if k >= CAPACITY:
            new = Buffer(t)
            new.previous, self.head.next = self.head, new
            self.head, k = new, 0
        data = self.head.data
        if k < len(data):
            data[k] = value
            return
        data.extend([NAN] * (k - len(data)))
        data.append(value)

    def read(self, begin, end):
        """values, begin, end"""
        b = self.head
        while begin < b.first():
            if not b.previous:
                begin = b.first()
                break
            b = b.previous
        values, t = [], begin
        while t < end:
            k = (t - b.start) // STEP
            if k >= CAPACITY:
                if not b.next:
                    break
                b, k = b.next, 0
            if k >= len(b.data):
                if not b.next or end <= b.next.start:
                    break
                values.append(NAN)
            elif t < b.start:
                values.append(NAN)
            else:
                values.append(b.data[k])
            t += STEP
        return values, begin, t

    def is_stale(self, now):
        end = self.head.start + STEP * len(self.head.data)
        return now - end > 5 * STEP


def triangles(data, factor):
    count = len(data) // factor
    size = (len(data) - 2) / (count - 2)
    out, low, middle, before = [data[0]], 1, int(size) + 1, 0
    for i in range(count - 2):
        high = min(int((i + 2) * size) + 1, len(data))
        if high >= len(data) - 1:
            high = len(data) - 2
        points = data[middle:high + 1]
        x = sum(range(middle, high + 1)) / len(points)
        y = 0.0
        for p in points:
            y += p
        y /= len(points)
        largest, chosen = -1.0, 0
        for k in range(low, middle):
            area = abs(((before - k) * (y - data[before])
                        - (before - x) * (data[k] - data[before])) * 0.5)
            if area > largest or math.isnan(area):
                largest, chosen = area, k
        out.append(data[chosen])
        before, low, middle = chosen, middle, high
    return out + [data[-1]]


class Fault(Exception):
    pass


NOT_AS_LONG = ("[METRICSTORE]> data from lower granularities does not align (collected "
               "data length is different than expected data length)")


NOT_ALIGNED = ("[METRICSTORE]> data from lower granularities does not align "
               "(missing data %s of the buffers)")


def read(series, how, begin, end, resolution):
    if begin > end:
        raise Fault("[METRICSTORE]> invalid time range")
    total = None
    for s in series:
        values, own_begin, own_end = s.read(begin, end)
        if total is None:
            total = [0.0 + v for v in values]
        else:
            if (own_begin, own_end, len(values)) != (begin, end, len(total)):
                front = int((begin - own_begin) / STEP)
                back = int((end - own_end) / STEP)
                if front:
                    raise Fault(NOT_ALIGNED % "prior to start")
                if not 1 <= len(values) - back <= len(values):
                    raise Fault(NOT_ALIGNED % "after the end")
                values = values[:len(values) - back]
                if len(values) != len(total):
                    raise Fault(NOT_AS_LONG)
            total = [a + b for a, b in zip(total, values)]
        begin, end = own_begin, own_end
    if len(series) > 1 and how == "avg":
        total = [v * (1.0 / len(series)) for v in total]
    if resolution > STEP and resolution % STEP:
        raise Fault(f"new sampling frequency ({resolution}) must be a multiple of old "
                    f"frequency ({STEP})")
    factor = resolution // STEP
    if resolution > STEP and len(total) >= POINTS_MIN and len(total) // factor:
        return triangles(total, factor), begin, end, resolution
    return total, begin, end, STEP


def text(value, decimals):
    return "null" if math.isnan(value) else f"{value:.{decimals}f}"


def item(series, how, request, query):
    begin, end = request["from"], request["to"]
    try:
        data, first, last, step = read(series, how, begin, end,
                                       query.get("resolution", 0))
    except Fault as fault:
        words = json.dumps(str(fault)).replace(">", "\\u003e")
        return (f'{{"error":{words},"from":0,"to":0,"resolution":0,'
                '"avg":0.00,"min":0.00,"max":0.00}')
    numbers = [v for v in data if not math.isnan(v)]
    stats = [0.0, 0.0, 0.0]
    if request.get("with-stats", True):
        stats = [NAN] * 3
        if numbers:
            total = 0.0
            for v in numbers:
                total += v
            stats = [total / len(numbers), min(numbers), max(numbers)]
    scale = query.get("scale-by", 1) or 1
    data, stats = [v * scale for v in data], [v * scale for v in stats]
    if request.get("with-padding", True):
        data = [NAN] * max(0, first // STEP - begin // STEP) + data
    if not request.get("with-data", True):
        data = []
    shown = f'"data":[{",".join(text(v, 3) for v in data)}],' if data else ""
    return (f'{{{shown}"from":{first},"to":{last},"resolution":{step},'
            f'"avg":{text(stats[0], 2)},"min":{text(stats[1], 2)},'
            f'"max":{text(stats[2], 2)}}}')


METRICS = {"cpu_load": "none", "mem_used": "none", "cpu_user": "avg", "mem_bw": "sum",
           "ipc": "avg", "flops_any": "sum"}
AT_NODE = ["cpu_load", "mem_used"]


class World:
    def __init__(self, rng, now):
        self.rng, self.now = rng, now
        self.series = {}  # (host, metric, type, id) -> Series
        self.last = {}
        self.lines = []

    def write(self, key, t, value):
        host, metric, kind, number = key
        where = f"type={kind}" + (f",type-id={number}" if kind != "node" else "")
        self.lines.append((t, f"{metric},cluster=emmy,hostname={host},{where} "
                              f"value={value!r} {t}"))
        self.series.setdefault(key, Series()).write(t, value)

    def fill(self, key, begin, count, gaps, jitter=0, drift=0):
        """Gaps are missing steps; some are as long as a buffer or two.  Times lie up to
        jitter seconds beside where they should, and drift seconds a step away."""
        rng, t, k = self.rng, begin, 0
        while k < count and t < self.now:
            here = max(t + int(drift * k) + rng.randint(-jitter, jitter), begin)
            last = self.last.get(key, begin)
            if here >= last:
                self.last[key] = here
                self.write(key, here, round(rng.gauss(10, 3), rng.choice([0, 2, 6])))
                if rng.random() < 0.01: # again, in the same slot
                    self.write(key, here, round(rng.gauss(10, 3), 2))
            jump = 1
            if rng.random() < gaps:
                jump += rng.choice([1, 2, 7, 60, rng.randrange(400, 1300)])
            t, k = t + jump * STEP, k + jump

    def at_or_below(self, host, metric, kind=None, ids=()):
        own = [s for (h, m, k, _), s in self.series.items()
               if (h, m, k) == (host, metric, "node")]
        if kind is None and own:
            return own
        found = [(f"{k}:{n}", s) for (h, m, k, n), s in self.series.items()
                 if (h, m) == (host, metric) and k != "node"
                 and (kind is None or (k == kind and n in ids))]
        found.sort(key=lambda f: f[0])
        if kind is None:
            return [s for _, s in found]
        # A group is read in the order of its ids, one of them as often as it is named.
        named = dict(found)
        return [named[f"{kind}:{n}"] for n in ids if f"{kind}:{n}" in named]


def draw_query(world, rng, single):
    host = rng.choice(["n1", "n2", "n3", "none"])
    metric = rng.choice(list(METRICS)) if rng.random() < 0.95 else "no_such"
    query = {"metric": metric, "host": host}
    if metric not in AT_NODE and (single or rng.random() < 0.6):
        query["type"] = "socket" if metric == "mem_bw" else "hwthread"
        ids = [str(i) for i in range(5)]
        query["type-ids"] = rng.sample(ids, 1 if single else rng.randrange(1, 4))
        if not single and rng.random() < 0.1:
            query["type-ids"].append(query["type-ids"][0])
        query["aggreg"] = not single and rng.random() < 0.5
    if rng.random() < 0.5:
        query["resolution"] = rng.choice([0, 60, 61, 120, 180, 300, 600, 3600])
    if rng.random() < 0.2:
        query["scale-by"] = rng.choice([0, 1, 2, 0.001, -3])
    return query


def answer(world, request):
    results = []
    for query in request["queries"]:
        kind, ids = query.get("type"), query.get("type-ids", [])
        groups = [ids] if kind is None or query.get("aggreg") else [[i] for i in ids]
        items = []
        for group in groups:
            if query["metric"] not in METRICS or request["from"] > request["to"]:
                words = ("[METRICSTORE]\\u003e invalid time range"
                         if request["from"] > request["to"] else
                         "[METRICSTORE]\\u003e unknown metric: " + query["metric"])
                items.append(f'{{"error":"{words}","from":0,"to":0,"resolution":0,'
                             '"avg":0.00,"min":0.00,"max":0.00}')
                continue
            series = world.at_or_below(query["host"], query["metric"], kind, group)
            if series:
                items.append(item(series, METRICS[query["metric"]], request, query))
        results.append("[" + ",".join(items) + "]")
    return '{"results":[' + ",".join(results) + "]}\n"


def query_case(rng, single, clock=(0, 0)):
    now = 1795351388
    world = World(rng, now)
    for host in ["n1", "n2", "n3"]:
        begin = now - rng.randrange(100000, 200000)
        for metric in METRICS:
            kind = ("node" if metric in AT_NODE
                    else "socket" if metric == "mem_bw" else "hwthread")
            for number in range(1 if kind == "node" else rng.randrange(1, 5)):
                late = rng.choice([0, 0, 0, 1, 5, 60, 600])
                world.fill((host, metric, kind, str(number)), begin + late,
                           rng.choice([300, 1500, 3000]),
                           rng.choice([0, 0.002, 0.02, 0.2]), *clock)
    requests = []
    for _ in range(150):
        begin = rng.randrange(now - 220000, now + 1000)
        length = rng.choice([0, 60, 600, rng.randrange(7200), rng.randrange(200000)])
        request = {"cluster": "emmy", "from": begin, "to": begin + length,
                   "queries": [draw_query(world, rng, single)
                               for _ in range(rng.choice([1, 1, 2, 4]))]}
        if rng.random() < 0.03:
            request["to"] = begin - 60
        for key in ["with-padding", "with-data", "with-stats"]:
            if rng.random() < 0.3:
                request[key] = rng.random() < 0.5
        requests.append({"body": json.dumps(request), "status": 200,
                         "answer": answer(world, request)})
    world.lines.sort(key=lambda line: line[0])
    return {"name": "questions", "now": now, "path": "/api/query/",
            "written": [line for _, line in world.lines], "requests": requests}


def health_of(world, host, names):
    lists = {"degraded": [], "missing": []}
    if not any(h == host for h, _, _, _ in world.series):
        return {"State": "failed", "HealthMetrics": ""}
    for name in names:
        series = [s for (h, m, _, _), s in world.series.items() if (h, m) == (host, name)]
        if any(s.is_stale(world.now) for s in series):
            lists["degraded"].append(name)
        elif not series:
            lists["missing"].append(name)
    bad = len(lists["degraded"]) + len(lists["missing"])
    state = "full" if bad == 0 else "failed" if bad == len(names) else "partial"
    return {"State": state,
            "HealthMetrics": json.dumps(lists, separators=(",", ":"))}


def health_case(rng):
    now = 1795351388 + rng.randrange(60)
    world = World(rng, now)
    for host in ["n1", "n2", "n3"]:
        for metric in METRICS:
            if rng.random() < 0.2:
                continue
            kind = "node" if metric in AT_NODE else "hwthread"
            for number in range(1 if kind == "node" else rng.randrange(1, 4)):
                begin = now - rng.randrange(30 * STEP, 60 * STEP)
                end = now - rng.choice([0, 60, 270, 271, 329, 330, 331, 332, 390, 1000])
                count = max(1, (end - begin) // STEP + 1)
                world.fill((host, metric, kind, str(number)),
                           end - (count - 1) * STEP, count, rng.choice([0, 0.5]))
    requests = []
    for _ in range(60):
        hosts = rng.sample(["n1", "n2", "n3", "none"], rng.randrange(1, 4))
        names = rng.sample(list(METRICS) + ["no_such"], rng.randrange(0, 5))
        body = {"cluster": "emmy", "nodes": hosts, "metric-names": names}
        states = {h: health_of(world, h, names) for h in sorted(hosts)}
        requests.append({"body": json.dumps(body), "status": 200,
                         "answer": json.dumps(states, separators=(",", ":")) + "\n"})
    world.lines.sort(key=lambda line: line[0])
    return {"name": "health", "now": now, "path": "/api/healthcheck/",
            "written": [line for _, line in world.lines], "requests": requests}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--single", action="store_true")
    parser.add_argument("--jitter", type=int, default=0)
    parser.add_argument("--drift", type=float, default=0)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    print(json.dumps({"server": "a model of cc-metric-store 1.5.4", "cases": [
        query_case(rng, args.single, (args.jitter, args.drift)), health_case(rng)]}))


if __name__ == "__main__":
    main()
