#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# make.py DIR: one year of runs, written as twenty kinds of people write tables, each with
# the mapping that its reader would write: DIR/NAME.conf, and the table in DIR/NAME.*.
# All tell the same runs: every study of them has the same figures.
import bz2, csv, datetime, gzip, io, lzma, math, os, subprocess, sys, zoneinfo

out = sys.argv[1]
os.makedirs(out, exist_ok=True)
UTC = datetime.timezone.utc
START = datetime.datetime(2021, 2, 3, 5, 30, tzinfo=UTC)
SYSTEMS = ("Möwe", "Orka")

RUNS = []
for i in range(300):
    for n, system in enumerate(SYSTEMS):
        at = START + datetime.timedelta(hours=24 * i + 3 * n)
        load = round(50 + 30 * math.sin(i / 17 + n) + (i * 7919 % 31) / 3, 2)
        if n == 0:
            speed = 2400 - 13 * load + (i * 104729 % 97)
        else:
            speed = 1300 + 50 * math.sin(i / 23) + (i * 15485863 % 211)
        opens = None if (i + n) % 9 == 4 else 1000 + i * 31 % 577
        RUNS.append(dict(id=f"{n}{i:05d}", at=at, system=system, speed=round(speed, 3),
                         load=load, opens=opens))


def put(name, text, encoding="utf-8", suffix="csv"):
    data = text if isinstance(text, bytes) else text.encode(encoding)
    with open(os.path.join(out, f"{name}.{suffix}"), "wb") as f:
        f.write(data)


def conf(name, study, table="", load="load", opens="opens", more=""):
    keys = "\n".join(line.strip() for line in study.strip().splitlines())
    form = "\n".join(line.strip() for line in table.strip().splitlines())
    with open(os.path.join(out, f"{name}.conf"), "w", encoding="utf-8") as f:
        f.write(f"[study]\n{keys}\n{'[table]' if form else ''}\n{form}\n{more}\n"
                f"[measure load]\nvalue = {load}\n[measure opens]\nvalue = {opens}\n")


def rows(header, make, separator=",", runs=RUNS, end="\n", quoting=csv.QUOTE_MINIMAL):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting)
    if header:
        writer.writerow(header)
    for i, run in enumerate(runs):
        writer.writerow(make(run, i))
    return text.getvalue()


def epoch(run):
    return int(run["at"].timestamp())


def or_(value, missing):
    return missing if value is None else value


# The reference: as RFC 4180 wants it.
put("plain", rows(["id", "when", "system", "speed", "load", "opens"],
                  lambda r, i: [r["id"], epoch(r), r["system"], r["speed"], r["load"],
                                or_(r["opens"], "")]))
conf("plain", "time = when\nid = id\nperformance = speed\nclass = system")

# A German spreadsheet: BOM, semicolons, CR LF, decimal commas, local time.
def german(x):
    return f"{x:,.3f}".translate(str.maketrans(",.", ".,"))

berlin = zoneinfo.ZoneInfo("Europe/Berlin")
put("german", "\ufeff" + rows(
    ["Lauf-Nr.", "Anfang", "Rechner", "Tempo (MB/s)", "Auslastung %", "Öffnungen"],
    lambda r, i: [r["id"], r["at"].astimezone(berlin).strftime("%d.%m.%Y %H:%M"),
                  r["system"], german(r["speed"]), german(r["load"]),
                  "k. A." if r["opens"] is None else german(r["opens"])],
    ";", end="\r\n"))
conf("german", """time = Anfang
    time_format = %d.%m.%Y %H:%M
    time_zone = Europe/Berlin
    id = [Lauf-Nr.]
    performance = [Tempo (MB/s)]
    class = Rechner""", "decimal = comma\nthousands = point\nmissing = k. A.",
    "[Auslastung %]", "[Öffnungen]")

# The same in ISO 8859-1, as older exports are.
put("latin1", rows(["Zeit", "Maschine", "Tempo", "Last", "Öffnungen"],
                   lambda r, i: [r["at"].strftime("%Y%m%d%H%M%S"), r["system"],
                                 str(r["speed"]).replace(".", ","),
                                 str(r["load"]).replace(".", ","), or_(r["opens"], "-")],
                   ";"), "latin-1")
conf("latin1", "time = Zeit\ntime_format = %Y%m%d%H%M%S\nperformance = Tempo\n"
     "class = Maschine", "encoding = latin1\ndecimal = comma", "Last", "[Öffnungen]")

# Excel's own hint, and cells with line ends and quotes.
put("excel", "sep=;\r\n" + rows(
    ["Run", "Start", "System", "Notes\nof the operator", "Speed", "Load", "Opens"],
    lambda r, i: [r["id"], r["at"].strftime("%Y-%m-%dT%H:%M:%SZ"), r["system"],
                  'said "fine";\nthen left' if i % 7 else "", r["speed"], r["load"],
                  or_(r["opens"], "#N/A")], ";", end="\r\n"))
conf("excel", "time = Start\nid = Run\nperformance = Speed\nclass = System", "", "Load",
     "Opens")

# Tabs, comments before and between, a row of units, milliseconds.
body = rows(["TIME", "SYS", "RATE", "LOAD", "OPENS"],
            lambda r, i: [epoch(r) * 1000, r["system"], r["speed"], r["load"],
                          or_(r["opens"], "null")], "\t")
lines = body.splitlines()
put("units", "# exported by the monitoring\n# do not edit\n" + lines[0] +
    "\nms\t-\tMB/s\t%\t1/s\n" + "\n".join(lines[1:200]) + "\n# restart\n" +
    "\n".join(lines[200:]) + "\n", suffix="tsv")
conf("units", "time = TIME\ntime_format = ms\nperformance = RATE\nclass = SYS",
     "comment = #\nskip_rows = 1", "LOAD", "OPENS")

# What sacct -P prints: bars, times without a zone, lengths, sizes with letters.
put("sacct", rows(
    ["JobID", "JobName", "Cluster", "Start", "Elapsed", "MaxDiskWrite", "AveCPU", "Opens"],
    lambda r, i: [r["id"], f"a,b;{i}", r["system"],
                  r["at"].strftime("%Y-%m-%dT%H:%M:%S"), "1-02:03:04",
                  f"{r['speed'] * 93784 / 1024:.9f}K",
                  f"{int(r['load'] * 100) // 6000:02d}:{r['load'] % 60:05.2f}"
                  if r["load"] >= 60 else f"00:{r['load']:05.2f}", or_(r["opens"], "")],
    "|"))
conf("sacct", """time = Start
    time_zone = UTC
    id = JobID
    performance = bytes(MaxDiskWrite) / seconds(Elapsed)
    class = Cluster""", "", "seconds(AveCPU)", "Opens")

# The Standard Workload Format's ways: blanks, no names, ";" before comments, -1.
put("swf", "; Version: 2.2\n; Computer: two\n" + "".join(
    f"  {int(r['id']):>6} {epoch(r):>11} {SYSTEMS.index(r['system']):>3}   "
    f"{r['speed']:>10} {r['load']:>8}  {or_(r['opens'], -1):>6}\n" for r in RUNS),
    suffix="swf")
conf("swf", "time = submit\nid = job\nperformance = speed\n"
     "class = if(queue = 0, \"Möwe\", \"Orka\")",
     "separator = blank\ncomment = ;\nnames = job, submit, queue, speed, load, opens\n"
     "missing = -1")

# American: month first, AM and PM, thousands with commas, percent signs, no summer time.
eastern = zoneinfo.ZoneInfo("America/New_York")
put("american", rows(
    ["Date", "System", "Bandwidth", "Load", "Opens"],
    lambda r, i: [r["at"].astimezone(eastern).strftime("%m/%d/%Y %I:%M:%S %p"),
                  r["system"], f"{r['speed']:,.3f}", f"{r['load']} %",
                  "N/A" if r["opens"] is None else f"{r['opens']:,}"],
    quoting=csv.QUOTE_ALL))
conf("american", """time = Date
    time_format = %m/%d/%Y %I:%M:%S %p
    time_zone = America/New_York
    performance = Bandwidth
    class = System""", "thousands = comma", "number(Load)", "Opens")

# Units in cells.
put("cells", rows(["start", "fs", "bandwidth", "load", "opens"],
                  lambda r, i: [r["at"].strftime("%d %b %Y %H:%M:%S.000000"), r["system"],
                                f"{r['speed'] / 1000:.6f} GB/s" if i % 2 else
                                f"{r['speed'] * 8:.3f} Mbit/s", f"{r['load']}%",
                                "" if r["opens"] is None else f"{r['opens']} ops"]))
conf("cells", "time = start\ntime_format = %d %b %Y %H:%M:%S.%f\n"
     "performance = bytes(bandwidth)\nclass = fs", "", "number(load)", "number(opens)")

# Wide: a column a system.  Its measures are of one system, so a row has one.
put("wide", rows(["day", "fs Möwe", "fs Orka", "load", "opens"],
                 lambda r, i: [epoch(r), r["speed"] if r["system"] == "Möwe" else "",
                               r["speed"] if r["system"] == "Orka" else "", r["load"],
                               or_(r["opens"], "")]))
conf("wide", "time = day\nperformance = cell\nclass = part(column, 2, \" \")",
     "wide = fs *")

# Long: a row a metric, the runs' rows not together.
text = ["run_uri,test,timestamp,metric,value,unit"]
for metric in ("Throughput", "load", "opens"):
    for r in RUNS:
        value = r["speed"] if metric == "Throughput" else r[metric]
        if value is not None:
            text.append(f"{r['id']},{r['system']},{epoch(r)}.25,{metric},{value},x")
put("long", "\n".join(text) + "\n")
conf("long", "time = timestamp - 0.25\nid = run_uri\nperformance = Throughput\nclass = test",
     "long_by = run_uri\nlong_name = metric\nlong_value = value")

# pandas: an index, 16.0 for 16, nan; a name twice.
put("pandas", "".join(
    [",time,np,speed,speed,load,opens,note\n"] +
    [f"{i},{r['at'].strftime('%Y-%m-%d %H:%M:%S')}+00:00,"
     f"{float(SYSTEMS.index(r['system'])) if i % 2 else SYSTEMS.index(r['system'])},9,"
     f"{r['speed']},{r['load']},{'nan' if r['opens'] is None else float(r['opens'])},\n"
     for i, r in enumerate(RUNS)]))
conf("pandas", "time = time\nperformance = [speed#2]\nclass = name",
     more="[column name]\nvalue = if(np = 0, \"Möwe\", \"Orka\")\n")

# Four files, packed in four ways, of which each has other columns.
quarter = len(RUNS) // 4
packers = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress,
           "zst": lambda b: subprocess.run(["zstd", "-c"], input=b, check=True,
                                           capture_output=True).stdout}
for n, (suffix, pack) in enumerate(packers.items()):
    part = RUNS[n * quarter:(n + 1) * quarter]
    header = ["when", "system", "speed", "load", "opens"]
    turn = header[n:] + header[:n] + [f"extra{n}"]
    values = lambda r, i: [dict(when=r["at"].isoformat(), system=r["system"],
                                speed=r["speed"], load=r["load"],
                                opens=or_(r["opens"], "")).get(name, i) for name in turn]
    put(f"packed-{n}", pack(rows(turn, values, runs=part).encode()), suffix="csv." + suffix)
conf("packed", "time = when\nperformance = speed\nclass = system")

# Date and time apart, without signs between; zeros in front.
put("apart", rows(["DATE", "HHMM", "sys", "kbs", "load", "opens"],
                  lambda r, i: [r["at"].strftime("%Y%m%d"), r["at"].strftime("%H%M"),
                                r["system"], r["speed"], r["load"],
                                or_(r["opens"], -9999)]))
conf("apart", 'time = join(DATE, " ", HHMM)\ntime_format = %Y%m%d %H%M\n'
     "performance = kbs\nclass = sys", "missing = -9999.0")

# Run times in place of speeds; nanoseconds; old line ends; unsorted.
shuffled = sorted(RUNS, key=lambda r: r["id"][::-1])
put("runtime", rows(["t", "where", "bytes_moved", "elapsed", "load", "opens"],
                    lambda r, i: [epoch(r) * 10**9, r["system"], 10**9,
                                  repr(10**9 / r["speed"]), r["load"],
                                  or_(r["opens"], "?")], runs=shuffled, end="\r"))
conf("runtime", "time = t\ntime_format = ns\nperformance = bytes_moved / elapsed\n"
     "class = where")

# From PostgreSQL: a zone of hours alone.
put("postgres", rows(["ts", "fs", "speed", "load", "opens"],
                     lambda r, i: [(r["at"] + datetime.timedelta(hours=2)).strftime(
                         "%Y-%m-%d %H:%M:%S.000+02"), r["system"], r["speed"], r["load"],
                         or_(r["opens"], "\\N")]))
conf("postgres", "time = ts\nperformance = speed\nclass = fs", "missing = \\N")

# LDMS: the names begin with the sign of comments; blanks around everything.
put("ldms", "#Time, Time_usec, ProducerName, rate, load, opens\n" + "".join(
    f"{epoch(r)}.000000, 0, {r['system']}, {r['speed']}, {r['load']} ,"
    + ("\n" if r["opens"] is None else f' "{r["opens"]}"\n') for r in RUNS))
conf("ldms", "time = [#Time]\nperformance = rate\nclass = ProducerName")

# A fixed list without names, three lines before it, CR LF, microseconds.
put("nameless", "Results of the probes\r\nall times UTC\r\n\r\n" + rows(
    None, lambda r, i: [r["system"], epoch(r) * 10**6, r["speed"], r["load"],
                        or_(r["opens"], "--")], end="\r\n"))
conf("nameless", "time = when\ntime_format = us\nperformance = speed\nclass = system",
     "skip_lines = 3\nnames = system, when, speed, load, opens")
