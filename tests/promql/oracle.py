#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""oracle: the same queries to promql_eval and to Prometheus, results compared.

    oracle.py generate SEED COUNT        prints expressions, one a line
    oracle.py compare SCRATCH EVAL FILE  starts Prometheus in SCRATCH on loopback with
                                         played samples, runs each expression of FILE as an
                                         instant and a range query in both, and counts

Results are equal to the last digit, or the difference has one of these names:
  order      an instant result without sort() has its series in another order
  libm       the last digits of a function that Go's mathematics rounds otherwise
  summation  a range query aggregates intermediate series in an order that Prometheus draws
             anew for each run: the last digits of sums and the sign of a zero vary there
  moved      predict_linear() of a range with @: Prometheus 2.42 moves the range with each step
             of a range query, against its documentation
  sign       format_query prints +Inf ^ 2, which is read as a sign before Inf ^ 2; ours prints Inf
  unsupported  our error names what is not supported: native histograms, Unicode classes
  ties       topk(), bottomk() or a quantile of equal values, 0 and -0 among them
"""
import http.client
import json
import math
import os
import random
import re
import socket
import struct
import subprocess
import sys
import time
import urllib.parse

START_S = 1700000000
LENGTH_S = 3600
STEP_S = 15
STALE = struct.unpack("<d", struct.pack("<Q", 0x7FF0000000000002))[0]


# ---- samples -----------------------------------------------------------------------
class Stale(float):
    """The mark of a series' end; Python's own NaN would lose its bits."""


def played_series(names):
    """(labels, [(time_ms, value)]) of every series, sorted by labels."""
    rng = random.Random(7)
    series = []

    def add(labels, samples):
        series.append((dict(labels), samples))

    def times(gap=0.0, offset_ms=0):
        t = START_S * 1000 + offset_ms
        while t <= (START_S + LENGTH_S) * 1000:
            if rng.random() >= gap:
                yield t
            t += STEP_S * 1000 + rng.choice([0, 0, 0, 1, -1, 7])

    for j in range(3):
        for i in range(3):
            for mode in ("idle", "user", "iowait"):
                value, samples = rng.random() * 100, []
                for t in times(0.05 * j, rng.randrange(9000)):
                    value += rng.random() * 10
                    if rng.random() < 0.01:
                        value = 0.0
                    samples.append((t, value))
                add({"__name__": "c_total", "job": f"j{j}", "instance": f"i{i}", "mode": mode}, samples)
            samples = []
            for n, t in enumerate(times(0.1)):
                if 60 <= n < 100:
                    continue  # a gap longer than the look-back
                v = rng.choice([rng.gauss(0, 50), round(rng.gauss(0, 5)), 0.0, -0.0])
                samples.append((t, v))
                if n == 59:
                    samples.append((t + 1000, Stale()))
            add({"__name__": "g", "job": f"j{j}", "instance": f"i{i}"}, samples)
        add({"__name__": "info", "job": f"j{j}", "version": f"v{j % 2}", "le": "5"}, [(t, 1.0) for t in times()])
    for special, v in (("nan", math.nan), ("pinf", math.inf), ("ninf", -math.inf), ("big", 1e300), ("small", 1e-9)):
        add({"__name__": "odd", "kind": special},
            [(t, v if rng.random() < 0.5 else round(rng.gauss(0, 9), 2)) for t in times(0.2)])
    for i in range(6):
        add({"__name__": "tie", "n": str(i)}, [(t, float(i // 2)) for t in times()])
    for i in range(2):
        counts = [0.0] * 6
        bounds = ["0.1", "0.5", "1", "2.5", "10", "+Inf"]
        rows = [[] for _ in bounds]
        for t in times():
            for b in range(len(bounds)):
                counts[b] += rng.randrange(3) * (b + 1)
            total = 0.0
            for b in range(len(bounds)):
                total = max(total, counts[b])
                rows[b].append((t, total))
        for b, le in enumerate(bounds):
            add({"__name__": "h_bucket", "instance": f"i{i}", "le": le}, rows[b])
    for name, labels in names:
        for i in range(2):
            value, samples = rng.random() * 1000, []
            for t in times(0.02, rng.randrange(5000)):
                value += rng.randrange(50)
                samples.append((t, float(value)))
            add({"__name__": name, **labels, "extra": f"e{i}"}, samples)
    series.sort(key=lambda s: sorted(s[0].items()))
    return series


def value_text(v):
    if isinstance(v, Stale):
        return "stale"
    if math.isnan(v):
        return "NaN"
    if math.isinf(v):
        return "+Inf" if v > 0 else "-Inf"
    return repr(v)


def write_samples(path, series):
    with open(path, "w", encoding="utf-8") as out:
        for labels, samples in series:
            inside = ",".join(f'{k}="{escaped(v)}"' for k, v in labels.items() if k != "__name__")
            for t, v in samples:
                out.write(f"{labels['__name__']}{{{inside}}} {value_text(v)} {t // 1000}.{t % 1000:03d}\n")


def escaped(v):
    return v.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


# ---- remote write, by hand: protocol buffers in literals of snappy -------------------
def varint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def sample_bytes(t, v):
    bits = struct.pack("<Q", 0x7FF0000000000002) if isinstance(v, Stale) else struct.pack("<d", v)
    return field(2, b"\x09" + bits + b"\x10" + varint(t))


def snappy(data):
    out = [varint(len(data))]
    for i in range(0, len(data), 65536):
        part = data[i:i + 65536]
        out.append(b"\xf4" + struct.pack("<H", len(part) - 1) + part)
    return b"".join(out)


def remote_write(port, series):
    """Ten minutes a request, so that times grow from request to request."""
    for begin in range(START_S * 1000, (START_S + LENGTH_S) * 1000 + 600000, 600000):
        body = b""
        for labels, samples in series:
            part = b"".join(sample_bytes(t, v) for t, v in samples if begin <= t < begin + 600000)
            if part:
                names = b"".join(field(1, field(1, k.encode()) + field(2, v.encode()))
                                 for k, v in sorted(labels.items()))
                body += field(1, names + part)
        if body:
            c = http.client.HTTPConnection("127.0.0.1", port)
            c.request("POST", "/api/v1/write", snappy(body), {
                "Content-Encoding": "snappy", "Content-Type": "application/x-protobuf",
                "X-Prometheus-Remote-Write-Version": "0.1.0"})
            response = c.getresponse()
            text = response.read()
            if response.status // 100 != 2:
                sys.exit(f"remote write: {response.status} {text[:300]}")


class Prometheus:
    def __init__(self, scratch):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        config = os.path.join(scratch, "prometheus.yml")
        with open(config, "w", encoding="utf-8") as out:
            out.write("global:\n  scrape_interval: 1h\n")
        self.log = open(os.path.join(scratch, "prometheus.log"), "wb")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={scratch}/tsdb",
             "--storage.tsdb.retention.time=100y", "--web.enable-remote-write-receiver",
             "--enable-feature=promql-at-modifier,promql-negative-offset",
             f"--web.listen-address=127.0.0.1:{self.port}"], stdout=self.log, stderr=self.log)
        for _ in range(600):
            try:
                c = http.client.HTTPConnection("127.0.0.1", self.port)
                c.request("GET", "/-/ready")
                if c.getresponse().status == 200:
                    break
            except OSError:
                pass
            time.sleep(0.1)
        else:
            sys.exit("prometheus did not start")
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port)

    def post(self, path, **form):
        self.connection.request("POST", path, urllib.parse.urlencode(form),
                                {"Content-Type": "application/x-www-form-urlencoded"})
        return json.loads(self.connection.getresponse().read())

    def close(self):
        self.process.terminate()
        self.process.wait()


# ---- expressions -------------------------------------------------------------------
class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def pick(self, *choices):
        return self.rng.choice(choices)

    def duration(self):
        return self.pick("15s", "30s", "1m", "2m", "5m", "90s", "10m", "1m30s")

    def matchers(self, *labels):
        out = []
        for name, values in labels:
            if self.rng.random() < 0.4:
                value = self.rng.choice(values)
                op, text = self.pick(("=", value), ("!=", value), ("=~", f"{value}|zz"), ("=~", f"{value[0]}.*"),
                                     ("!~", f"(?:{value})"), ("=~", f"[^x]{{1,3}}"), ("=~", ".+"))
                out.append(f'{name}{op}"{text}"')
        return "{" + ",".join(out) + "}" if out else ""

    def plain(self):
        instances = ("instance", ["i0", "i1", "i2"])
        jobs = ("job", ["j0", "j1", "j2"])
        kind = self.rng.randrange(10)
        if kind < 3:
            return "c_total" + self.matchers(jobs, instances, ("mode", ["idle", "user"]))
        if kind < 6:
            return "g" + self.matchers(jobs, instances)
        return self.pick("odd" + self.matchers(("kind", ["nan", "pinf", "big"])), "tie", "info",
                         "h_bucket" + self.matchers(instances), "g", "c_total", "missing")

    def shift(self):
        r = self.rng.random()
        if r < 0.8:
            return ""
        if r < 0.9:
            return " offset " + self.pick("1m", "-1m", "7m", "1h")
        at = self.pick(str(START_S + 900), "start()", "end()", f"{START_S + 1234.5}")
        return f" @ {at}" + self.pick("", " offset 30s")

    def range(self, depth):
        if depth > 0 and self.rng.random() < 0.25:
            return f"({self.vector(depth - 1)})[{self.duration()}:{self.pick('', '15s', '20s', '1m')}]{self.shift()}"
        return f"{self.plain()}[{self.duration()}]{self.shift()}"

    def number(self):
        return self.pick("0", "1", "2", "0.5", "-1", "10", "100", "1e3", "0x1F", "NaN", "Inf", "-Inf", "3.7")

    def scalar(self, depth):
        r = self.rng.random()
        if depth <= 0 or r < 0.5:
            return self.number()
        if r < 0.6:
            return self.pick("time()", "pi()")
        if r < 0.75:
            return f"scalar({self.vector(depth - 1)})"
        op = self.pick("+", "-", "*", "/", "%", "^", "atan2", "== bool", "> bool", "<= bool", "!= bool")
        return f"({self.scalar(depth - 1)} {op} {self.scalar(depth - 1)})"

    def labels(self):
        names = ["job", "instance", "mode", "le", "kind", "n", "version", "nothing"]
        return ", ".join(self.rng.sample(names, self.rng.randrange(4)))

    def call(self, depth):
        over = ["rate", "increase", "delta", "irate", "idelta", "deriv", "changes", "resets", "sum_over_time",
                "avg_over_time", "min_over_time", "max_over_time", "count_over_time", "last_over_time",
                "stddev_over_time", "stdvar_over_time", "present_over_time", "absent_over_time"]
        one = ["abs", "ceil", "floor", "round", "sgn", "sqrt", "exp", "ln", "log2", "log10", "sin", "cos", "tan",
               "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "deg", "rad", "sort",
               "sort_desc", "timestamp", "absent", "hour", "minute", "month", "year", "day_of_week", "day_of_month",
               "day_of_year", "days_in_month"]
        r = self.rng.random()
        if r < 0.45:
            return f"{self.rng.choice(over)}({self.range(depth)})"
        if r < 0.7:
            return f"{self.rng.choice(one)}({self.vector(depth - 1)})"
        v, s = self.vector(depth - 1), self.scalar(depth - 1)
        return self.pick(
            f"clamp({v}, {s}, {self.number()})", f"clamp_min({v}, {s})", f"clamp_max({v}, {s})", f"round({v}, {s})",
            f"vector({s})", f"predict_linear({self.range(depth)}, {s})",
            f"quantile_over_time({s}, {self.range(depth)})",
            f"holt_winters({self.range(depth)}, {self.pick('0.3', '0.9', '1', s)}, {self.pick('0.1', '0.5')})",
            f"histogram_quantile({self.pick('0.5', '0.9', '0', '1', s)}, {self.pick('h_bucket', 'rate(h_bucket[5m])', 'sum by (le) (rate(h_bucket[2m]))', v)})",
            f'label_replace({v}, "{self.pick("job", "dst", "instance")}", "{self.pick("$1", "x-${2}", "", "a$1b")}", "{self.pick("job", "instance", "mode")}", "{self.pick("(.)(.*)", "j(.)", ".*", "(i)(.)|j.")}")',
            f'label_join({v}, "{self.pick("dst", "job")}", "{self.pick("-", "")}", "job", "instance")')

    def aggregate(self, depth):
        op = self.pick("sum", "avg", "count", "min", "max", "group", "stddev", "stdvar", "topk", "bottomk", "quantile",
                       "count_values", "sum", "avg", "max")
        inside = self.vector(depth - 1)
        if op in ("topk", "bottomk"):
            inside = f"{self.pick('1', '2', '3', '5', self.scalar(depth - 1))}, {inside}"
        elif op == "quantile":
            inside = f"{self.pick('0.5', '0.9', '0', '1.1', self.scalar(depth - 1))}, {inside}"
        elif op == "count_values":
            inside = f'"{self.pick("value", "job")}", {inside}'
        group = self.pick("", f"by ({self.labels()})", f"without ({self.labels()})")
        return self.pick(f"{op} {group} ({inside})", f"{op}({inside}) {group}")

    def binary(self, depth):
        left, right = self.vector(depth - 1), self.vector(depth - 1)
        arithmetic = self.pick("+", "-", "*", "/", "%", "^", "atan2", "==", "!=", ">", "<", ">=", "<=", "> bool",
                               "== bool", "<= bool")
        r = self.rng.random()
        if r < 0.35:
            return self.pick(f"({left}) {arithmetic} {self.scalar(depth - 1)}", f"{self.scalar(depth - 1)} {arithmetic} ({left})")
        if r < 0.6:
            on = self.pick("", f"on ({self.labels()})", f"ignoring ({self.labels()})")
            return f"({left}) {self.pick('and', 'or', 'unless')} {on} ({right})"
        if r < 0.75:
            return f"({left}) {arithmetic} ({left})"
        if r < 0.9:
            on = self.pick("on (job)", "on (job, instance)", "ignoring (mode)", "ignoring (version, le, mode, instance)")
            group = self.pick("", "group_left", "group_left (version)", "group_right", "group_left (job)")
            one = self.pick("info", "sum by (job) (g)", "max by (job, instance) (g)", right)
            return f"({left}) {arithmetic} {on} {group} ({one})"
        return f"({left}) {arithmetic} ({right})"

    def vector(self, depth):
        r = self.rng.random()
        if depth <= 0 or r < 0.15:
            return self.plain() + self.shift()
        if r < 0.5:
            return self.call(depth)
        if r < 0.75:
            return self.aggregate(depth)
        if r < 0.97:
            return self.binary(depth)
        return f"-({self.vector(depth - 1)})"

    def expression(self):
        r = self.rng.random()
        if r < 0.04:
            return self.scalar(3)
        if r < 0.06:
            return self.range(2)
        return self.vector(self.rng.randrange(1, 4))


def filled(expression):
    """A dashboard's expression with its variables filled in."""
    values = {"__rate_interval": "4m", "__interval": "30s", "__range": "1h", "interval": "5m", "node": "n1",
              "job": "node", "port": "9100", "instance": "n1", "gpu": "0", "name": "n1"}

    def fill(match):
        return values.get(match.group(1) or match.group(2), "x1")
    return re.sub(r"\$\{(\w+)(?::\w+)?\}|\$(\w+)", fill, expression)


def metrics_of(expressions):
    """Names with the labels that the expressions compare by =, so that they find data."""
    found = {}
    for e in expressions:
        for name, inside in re.findall(r"([a-zA-Z_:][\w:]*)\{([^{}]*)\}", e):
            labels = {}
            for label, op, value in re.findall(r"(\w+)\s*(=~|!=|!~|=)\s*[\"']([^\"']*)[\"']", inside):
                if op == "=":
                    labels[label] = value
                elif op == "=~":
                    labels[label] = value if re.fullmatch(r"[\w.:-]+", value) else "sda"
            found[(name, tuple(sorted(labels.items())))] = labels
    return [(name, labels) for (name, _), labels in sorted(found.items())]


# ---- comparison --------------------------------------------------------------------
LIBM = re.compile(r"\b(exp|ln|log2|log10|sin|cos|tan|asin|acos|atan|sinh|cosh|tanh|asinh|acosh|atanh|atan2)\b|\^")
# What makes a large difference, or another label, of a small one.
AMPLIFIED = re.compile(r"\b(count_values|minute|hour|month|year|day_|days_|round|floor|ceil|sgn|changes|resets|deriv)|[%=<>]")
AGGREGATES = re.compile(r"\b(sum|avg|stddev|stdvar|min|max)\b")


def close(a, b, tolerance, scale=1e-9):
    """Equal within a tolerance of the larger of both, or of the scale of the whole result."""
    x, y = float(a), float(b)
    if tolerance and math.isinf(x) != math.isinf(y) and max(min(abs(x), abs(y)), 1e308) > 1e308:
        return True  # Go's sinh() and cosh() reach infinity a little before others
    return a == b or (math.isfinite(x) and math.isfinite(y) and abs(x - y) <= tolerance * max(abs(x), abs(y), scale))


def key(row):
    return json.dumps(row["metric"], sort_keys=True)


def same_shape(a, b, tolerance):
    """Same series and times, values within a tolerance; rows in any order."""
    if len(a) != len(b):
        return False
    scale = max([abs(float(v)) for v in values_of(a) if math.isfinite(float(v))] + [1e-9]) if tolerance else 0
    for x, y in zip(sorted(a, key=key), sorted(b, key=key)):
        xs = x.get("values") or [x["value"]]
        ys = y.get("values") or [y["value"]]
        if x["metric"] != y["metric"] or [p[0] for p in xs] != [p[0] for p in ys]:
            return False
        if not all(close(p[1], q[1], tolerance, min(scale, 1e6)) for p, q in zip(xs, ys)):
            return False
    return True


def verdict(expression, is_range, ours, theirs):
    if ours["status"] != theirs["status"]:
        return "unsupported" if "not supported" in ours.get("error", "") else "unequal"
    if ours["status"] == "error":
        return "equal" if ours["errorType"] == theirs["errorType"] else "unequal"
    a, b = ours["data"], theirs["data"]
    if a == b:
        return "equal"
    if a["resultType"] != b["resultType"]:
        return "unequal"
    a, b = a["result"], b["result"]
    if not a or not isinstance(a[0], dict):
        return "libm" if a and b and LIBM.search(expression) and close(a[1], b[1], 1e-12) else "unequal"
    is_sorted = re.match(r"\s*sort(_desc)?\b", expression)
    if not is_range and same_shape(a, b, 0) and not is_sorted:
        return "order"
    if is_range and re.search(r"predict_linear\(.*@", expression):
        return "moved"
    if LIBM.search(expression) and same_shape(a, b, 1e-9):
        return "libm"
    if LIBM.search(expression) and AMPLIFIED.search(expression) and len(a) == len(b):
        return "libm"
    if AGGREGATES.search(expression) and same_shape(a, b, 1e-9):
        return "summation"
    if re.search(r"\b(topk|bottomk|quantile|quantile_over_time)\b", expression):
        pairs = list(zip(sorted(values_of(a)), sorted(values_of(b))))
        tolerance = 1e-9 if LIBM.search(expression) else 0
        is_same = len(values_of(a)) == len(values_of(b)) and all(close(x, y, tolerance) for x, y in pairs)
        # Within an operator or another aggregation the labels of the series chosen count.
        is_outermost = re.match(r"\s*(topk|bottomk)\b", expression) or "quantile" in expression
        return "ties" if is_same or not is_outermost else "unequal"
    return "unequal"


def values_of(rows):
    return [p[1].replace("-0", "0") if p[1] == "-0" else p[1] for r in rows for p in (r.get("values") or [r["value"]])]


def compare(scratch, evaluator, path):
    with open(path, encoding="utf-8") as lines:
        expressions = [line.rstrip("\n").split("\t")[-1] for line in lines if line[0] != "#"]
    # A query of a dashboard's variable is no PromQL.
    expressions = [filled(e).replace("\\n", " ") for e in expressions if not e.startswith(("label_values(", "query_result("))]
    series = played_series(metrics_of(e for e in expressions if "node_" in e or "DCGM" in e))
    samples = os.path.join(scratch, "samples")
    write_samples(samples, series)
    queries = []
    for n, e in enumerate(expressions):
        at = (START_S + 600 + n % 2900) * 1000
        queries.append(("instant", at, at, 0, e))
        begin = (START_S + 300 + n % 400) * 1000
        queries.append(("format", 0, 0, 0, e))
        queries.append(("range", begin, begin + 1800000 + n % 7 * 1000, (7, 15, 30, 60)[n % 4] * 1000, e))
    text = "".join(f"{k}\t{e}\n" if k == "format" else f"{k}\t{b}\t{e}\n" if k == "instant" else f"{k}\t{b}\t{end}\t{s}\t{e}\n" for k, b, end, s, e in queries)
    run = subprocess.run([evaluator, samples], input=text.encode(), stdout=subprocess.PIPE, check=False)
    ours = [json.loads(line) for line in run.stdout.splitlines()]
    if run.returncode or len(ours) != len(queries):
        sys.exit(f"promql_eval: status {run.returncode} after query {len(ours)}: {queries[len(ours):][:1]}")
    prometheus = Prometheus(scratch)
    counts = {}
    try:
        remote_write(prometheus.port, series)
        for (kind, begin, end, step, e), mine in zip(queries, ours):
            if kind == "format":
                theirs = prometheus.post("/api/v1/format_query", query=e)
                result = "equal" if mine.get("data") == theirs.get("data") else \
                    "sign" if mine.get("data") == re.sub(r"\+Inf(\s+\^)", r"Inf\1", theirs.get("data", "")) else \
                    "unsupported" if "not supported" in mine.get("error", "") else "unequal"
                counts["format_" + result] = counts.get("format_" + result, 0) + 1
                if result == "unequal":
                    counts["unequal"] = counts.get("unequal", 0) + 1
                    print(f"unequal\tformat\t{e}\n  ours   {mine}\n  theirs {theirs}")
                continue
            if kind == "instant":
                theirs = prometheus.post("/api/v1/query", query=e, time=begin / 1000)
            else:
                theirs = prometheus.post("/api/v1/query_range", query=e, start=begin / 1000, end=end / 1000,
                                         step=step / 1000)
            result = verdict(e, kind == "range", mine, theirs)
            counts[result] = counts.get(result, 0) + 1
            data = theirs.get("data", {}).get("result")
            counts["with data" if data else "error" if data is None else "empty"] = \
                counts.get("with data" if data else "error" if data is None else "empty", 0) + 1
            if result == "unequal":
                print(f"unequal\t{kind}\t{begin}\t{end}\t{step}\t{e}\n  ours   {shown(mine)}\n  theirs {shown(theirs)}")
    finally:
        prometheus.close()
    print("total", len(queries), " ".join(f"{k.replace(' ', '_')}={v}" for k, v in sorted(counts.items())))
    return 1 if counts.get("unequal") else 0


def shown(result):
    text = json.dumps(result.get("data", result))
    return text if len(text) < 700 else text[:700] + "..."


def main():
    if sys.argv[1:2] == ["generate"] and len(sys.argv) == 4:
        generator = Generator(int(sys.argv[2]))
        for _ in range(int(sys.argv[3])):
            print(generator.expression())
        return 0
    if sys.argv[1:2] == ["compare"] and len(sys.argv) == 5:
        return compare(*sys.argv[2:])
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
