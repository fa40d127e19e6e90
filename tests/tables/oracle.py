#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small tables of runs, and what baro climate must say of them by exact arithmetic.

Fractions, and 60 digits for roots: nothing here is shared with the program.
"""
import decimal
import json
import random
import subprocess
from fractions import Fraction

decimal.getcontext().prec = 60
DAY = 86400
MAP = """[study]
time = when
id = id
performance = speed
class = fs
class = kind
short = 4d
long = 20d
p_contributor = 0.9
[measure x]
value = x
[measure constant]
value = constant
"""


def baro(*args):
    out = subprocess.run(["baro", "climate", *args], capture_output=True, text=True,
                         check=False)
    if out.returncode:
        raise SystemExit(f"baro climate {' '.join(args)}: {out.stderr}")
    return json.loads(out.stdout)


def write(rows):
    with open("runs.csv", "w", encoding="ascii") as f:
        f.write("id,when,speed,fs,kind,x,constant\n")
        for i, (t, speed, kind, x, constant) in enumerate(rows):
            f.write(f"r{i},{t},{speed!r},lake,{kind},"
                    f"{'' if x is None else repr(x)},{constant!r}\n")
    with open("runs.conf", "w", encoding="ascii") as f:
        f.write(MAP)


def pearson(xs, ys):
    n = len(xs)
    mx, my = sum(xs) / n, sum(ys) / n
    xy = sum((x - mx) * (y - my) for x, y in zip(xs, ys))
    xx = sum((x - mx) ** 2 for x in xs)
    yy = sum((y - my) ** 2 for y in ys)
    root = (decimal.Decimal((xx * yy).numerator) /
            decimal.Decimal((xx * yy).denominator)).sqrt()
    return decimal.Decimal(xy.numerator) / decimal.Decimal(xy.denominator) / root


def crossings(rows, peaks):
    """Regions as region.h says, of exact averages."""
    def average(t, width):
        inside = [Fraction(r[1]) / peaks[r[2]] for r in rows
                  if t - width // 2 <= r[0] < t - width // 2 + width]
        return sum(inside) / len(inside)
    above = [average(r[0], 4 * DAY) > average(r[0], 20 * DAY) for r in rows]
    edges = [i for i in range(1, len(rows)) if above[i] != above[i - 1]]
    return list(zip(edges, edges[1:]))


def check_regions(rng):
    bad = ties = 0
    for _ in range(60):
        kinds = rng.choice([["a"], ["a", "b"], ["a", "b", "c"]])
        rows = [(1500000000 + i * DAY, float(rng.randrange(1, 8)), rng.choice(kinds),
                 0.0, 1.0) for i in range(60)]
        peaks = {k: max([Fraction(r[1]) for r in rows if r[2] == k] or [Fraction(1)])
                 for k in kinds}
        write(rows)
        said = baro("regions", "-m", "runs.conf", "--pool", "group", "-o", "json",
                    "runs.csv")["regions"]
        want = [rows[b][0] for b, _ in crossings(rows, peaks)]
        got = [int(subprocess.run(["date", "-ud", r["from"], "+%s"], text=True,
                                  capture_output=True, check=True).stdout)
               for r in said]
        bad += got != want
        ties += 1
        if got != want:
            print(f"regions of {kinds}: {got}, want {want}")
    print(f"figure: {ties} tables of small integers, {bad} with other regions")
    return bad


def check_correlations(rng):
    bad = asked = 0
    for scale in (1.0, 1e-200, 5e-320, 1e-160, 1e150, 1e300):
        for _ in range(4):
            n = rng.randrange(5, 40)
            xs = [rng.randrange(1, 1000) * scale for _ in range(n)]
            rows = [(1500000000 + i * DAY, float(rng.randrange(1, 99)), "a", xs[i], 0.1)
                    for i in range(n)]
            write(rows)
            said = baro("correlate", "-m", "runs.conf", "-o", "json",
                        "runs.csv")["correlations"]
            names = [c["measure"] for c in said]
            want = pearson([Fraction(r[1]) for r in rows], [Fraction(x) for x in xs])
            asked += 1
            wrong = names != ["x"] or \
                abs(decimal.Decimal(said[0]["r"]) - want) > decimal.Decimal("3e-15") or \
                said[0]["p_many"] != said[0]["p"]
            if wrong:
                bad += 1
                print(f"{scale}: {said}, want {want}")
    print(f"figure: {asked} columns, {bad} correlations that are not those of fractions")
    return bad


def check_umami():
    rows = [(1500000000 + i * DAY, s, "a", float(i), 1.0)
            for i, s in enumerate([10.0, 20.0, 40.0, 30.0, 25.0, 35.0, 400.0, 1.0])]
    write(rows)
    said = json.loads(subprocess.run(
        ["baro", "climate", "umami", "--map", "runs.conf", "--id", "r5", "--output",
         "json", "runs.csv"], capture_output=True, text=True, check=True).stdout)
    row = next(r for r in said if r["measure"] == "fraction")
    bad = row["value"] != 35 / 40 or row["q50"] != 25 / 40
    if bad:
        print(f"umami of r5 looks at later runs: {row}")
    return int(bad)


def check_missing():
    """Of a slowest run that lacks x nobody can ask whether x was at its worst in it."""
    rng = random.Random(3)
    rows = []
    for i in range(120):
        speed = 50.0 if i // 10 % 2 else 100.0
        slowest = i % 10 == 5
        rows.append((1500000000 + i * DAY, speed - 20 * slowest + rng.random() / 100,
                     "a", None if slowest and i % 40 == 15 else float(i % 10), 1.0))
    peaks = {"a": max(Fraction(r[1]) for r in rows)}
    want = lacking = 0
    for first, end in crossings(rows, peaks):
        part = rows[first:end]
        slowest = min(part, key=lambda r: r[1])
        known = [r[3] for r in part if r[3] is not None]
        lacking += slowest[3] is None
        want += bool(known) and slowest[3] is not None and \
            Fraction(known.count(max(known)), len(known)) < Fraction(9, 10)
    write(rows)
    said = baro("contributors", "-m", "runs.conf", "-o", "json", "runs.csv")
    asked = [m["covered"] for m in said["measures"] if m["measure"] == "x"]
    print(f"figure: {lacking} slowest runs lack the measure, {want} have it")
    if asked != [want] or not lacking:
        print(f"asked of {asked} runs that have the measure, want {want}")
        return 1
    return 0


def main():
    rng = random.Random(512)
    return check_regions(rng) + check_correlations(rng) + check_umami() + check_missing()


if __name__ == "__main__":
    raise SystemExit(1 if main() else 0)
