#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of series with gaps of any length, and what windows cut out of their time must say.

oracle.py make SEED NOW FILE            a batch of rows, as an agent sends it
oracle.py check SEED NOW WAY -- ARGS    baro ARGS answers windows as the model has it

The model is a list of (since, t, bytes) and exact fractions.  A window's share of each is
within 1 byte of the fraction, and windows side by side add up to the whole, exactly.
WAY is "all" (windows of the whole time) or "recent" (of the last hour).

A row that names a lost one goes on from the last stored row where that lies at most 48
hours before the lost one (or before the hour before its own); further back nothing is
known before it, and what it shows stands in "at most" alone.
"""
import datetime
import json
import random
import subprocess
import sys
from fractions import Fraction

HOURS = 60
FAR_HOURS = 170  # of the last series: losses that are longer than a row is looked for
SERIES = 24
FAR = 6
HOUR = 3600
LOOKBACK = 48 * HOUR


def text(t):
    return datetime.datetime.fromtimestamp(t, datetime.timezone.utc).strftime(
        "%Y-%m-%dT%H:%M:%S.000Z")


class Series:
    """Rows of one entry: round after round, some lost, and what they add."""

    def __init__(self, number, rng, now):
        self.number = number
        self.entry = f"{1000 + number}:1000:n01"
        self.target = f"scratch-OST000{number % 3}"
        self.rows, self.model, self.most = [], [], []
        self.is_far = number >= SERIES - FAR
        begin = now - (FAR_HOURS if self.is_far else HOURS) * HOUR
        kind = number % 6
        t = begin + rng.randrange(20 * HOUR)
        counted, previous, stored = 0, None, None
        start = t - rng.randrange(1, 8 * HOUR) if kind in (1, 4) else None
        while t <= now - 60:
            counted += rng.randrange(1, 5_000_000)
            if previous is None and kind in (0, 3):
                row = (t - 120, None, True)          # a new life, seen in time
            elif previous is None:
                row = (None, None, None)             # the first reading of all
            else:
                row = (max(previous, t - 120), previous, False)
            if stored is None or rng.random() > 0.3:
                self.store(t, row, counted, start, stored)
                stored = (t, counted)
            previous = t
            t += rng.choice([600, HOUR, 2 * HOUR] if self.is_far else
                            [60, 60, 60, 120, 120, 600, 1500, HOUR])
            if self.is_far and rng.random() < 0.2:
                counted += rng.randrange(1, 5_000_000)
                previous, t = t, t + rng.randrange(30 * HOUR, 70 * HOUR)
                counted += rng.randrange(1, 5_000_000)
                previous = rng.choice([previous, t - 60, t - 5 * HOUR])
            draw = rng.random()
            if draw < 0.05:
                t += rng.randrange(1, 25 * HOUR)     # the entry rests
            elif draw < 0.12:                        # many readings are lost
                end = t + rng.randrange(1, 20 * HOUR)
                while t < min(end, now - 200):
                    counted += rng.randrange(1, 5_000_000)
                    previous, t = t, t + 600
            elif draw < 0.16 and 2 * HOUR < now - t < 40 * HOUR:
                end = now - rng.randrange(120, 600)  # and not long ago
                previous, t = end - 60, end

    def store(self, t, row, counted, start, stored):
        since, previous, reset = row
        self.rows.append((t, since, previous, reset, start, counted))
        if stored is None:
            if reset:
                self.model.append((since, t, counted))
            elif start is not None:
                self.model.append((start, t, counted))
            else:
                self.most.append((t - 48 * HOUR, t, counted))
        elif previous == stored[0]:
            self.model.append((since, t, counted - stored[1]))
        elif stored[0] >= self.reach(t, previous, start) - LOOKBACK:
            self.model.append((stored[0], t, counted - stored[1]))
        else:
            self.most.append((t - LOOKBACK, t, counted))

    @staticmethod
    def reach(t, previous, start):
        """From where on the row at t looks back for the one it goes on from."""
        edges = [t // HOUR * HOUR - HOUR if t % HOUR else t - 2 * HOUR, previous]
        return min(edges + ([start] if start is not None else []))


def world(seed, now):
    rng = random.Random(seed)
    return [Series(i, rng, now) for i in range(SERIES)]


def make(seed, now, path):
    rounds = {}
    for s in world(seed, now):
        for t, since, previous, reset, start, counted in s.rows:
            rounds.setdefault((t, s.target), []).append({
                "entry_id": s.entry, "exact": True,
                "since": since and text(since), "previous": previous and text(previous),
                "reset": reset, "snapshot_time": t, "start_time": start,
                "ops": {"write_bytes": {"samples": 1, "unit": "bytes", "min": 1,
                                        "max": 2, "sum": counted}}})
    batch = {"format": "baro-jobstats-1",
             "agent": "c0ffee00-0000-4000-8000-000000000511", "sequence": 1,
             "server": "oss01", "targets": [
                 {"target": target, "kind": "ost", "timestamp": text(t), "entries": e}
                 for (t, target), e in sorted(rounds.items())]}
    with open(path, "w", encoding="ascii") as f:
        json.dump(batch, f)


def share(increments, begin, end):
    total, edges = Fraction(0), 0
    for since, t, amount in increments:
        inside = min(t, end) - max(since, begin)
        if inside > 0:
            total += Fraction(amount * inside, t - since)
            edges += since < begin or t > end
    return total, edges


def ask(args, begin, end):
    command = ["baro", "jobstats", "top", "--from", f"@{begin}", "--to", f"@{end}",
               "--by", "job", "--op", "write_bytes", "--limit", "1000",
               "--output", "json"] + args
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    if out.returncode:
        raise SystemExit(f"{' '.join(command)}: {out.stderr}")
    return {row["job"]: row for row in json.loads(out.stdout)}, out.stderr


def check(seed, now, way, args):
    rng = random.Random(seed + 1)
    series = world(seed, now)
    bad = asked = reaching = lost = 0
    notes = ""
    for _ in range(2):
        if way == "recent":
            begin, end = now - 3500, now
        else:
            begin, end = now - FAR_HOURS * HOUR - LOOKBACK, now
        cuts = sorted(rng.randrange(max(begin + 1, now - HOURS * HOUR), end)
                      for _ in range(7))
        if way == "all":                             # short ones, and whole hours
            cuts += [cuts[2] + 300, cuts[3] + 600, cuts[4] // HOUR * HOUR]
            cuts += [rng.randrange(begin + 1, end) for _ in range(4)]
        edges = sorted(set([begin, end] + [c for c in cuts if begin < c < end]))
        sums = {}
        for a, b in zip(edges, edges[1:]):
            rows, stderr = ask(args, a, b)
            notes += stderr
            asked += 1
            for s in series:
                want, cut = share(s.model, a, b)
                got = rows.get(str(1000 + s.number), {}).get("write_bytes") or 0
                sums[s.number] = sums.get(s.number, 0) + got
                reaching += any(since < b < t - 1800 for since, t, _ in s.model)
                if abs(got - want) > cut:
                    bad += 1
                    print(f"job {1000 + s.number} ({a - now}, {b - now}]: {got}, "
                          f"want {float(want)}")
                unknown = sum(share([one], a, b)[0] > 0 for one in s.most)
                lost += sum(one != s.most[0] for one in s.most
                            if share([one], a, b)[0])
                if unknown and "beginnings are not known" not in stderr:
                    bad += 1
                    print(f"({a - now}, {b - now}] does not say what is not known")
        whole, _ = ask(args, begin, end)
        for s in series:
            want, cut = share(s.model, begin, end)
            got = whole.get(str(1000 + s.number), {}).get("write_bytes") or 0
            if sums[s.number] != got or (not cut and got != want):
                bad += 1
                print(f"job {1000 + s.number}: windows add up to {sums[s.number]}, the "
                      f"whole is {got}, the model's {float(want)}")
    print(f"figure: {asked} windows, {reaching} cells with a far reach, {lost} behind "
          f"losses that are too long, {bad} wrong; "
          f"from memory: {'read from memory' in notes}")
    return 1 if bad or not reaching or (way == "all" and not lost) else 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        sys.exit(check(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[6:]))
