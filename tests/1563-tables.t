#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro series show map:MAPPING:TABLE: anybody's table is a series, out of CSV, SQLite and
# PostgreSQL alike.
. "$(dirname "$0")/lib.sh"
requires python3
cd "$SCRATCH" || exit 1

# A table of counters by host and disk, and what is right of it.
python3 - <<'END'
import csv, random, sqlite3, time
r = random.Random(3)
rows, want, sums = [], {}, {}
start = 1500000000
for k in range(40):
    for host in ("h1", "h,2"):
        for disk in ("a", "b"):
            key = disk + "@" + host
            grown = r.randrange(1 << 40)
            if k == 0 or r.random() < 0.03:
                sums[key] = r.randrange(100) + 1 if k else 1 << 30
                grown = None
            else:
                sums[key] += grown
            if grown is not None:
                want[start + 10 * (k - 1), key] = 1024 * grown
            t = start + 10 * k
            rows.append((time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(t + 3600)), t, host, disk,
                         sums[key], "" if r.random() < 0.1 else round(r.random() * 100, 3), "x" if disk == "a" else "y"))
names = ("stamp", "epoch", "host", "disk", "read_kib", "load", "side")
with open("table.csv", "w", newline="") as f:
    out = csv.writer(f)
    out.writerow(names)
    out.writerows(rows)
db = sqlite3.connect("table.sqlite3")
db.execute("CREATE TABLE disks (%s)" % ", ".join(names))
db.executemany("INSERT INTO disks VALUES (?,?,?,?,?,nullif(?, ''),?)", rows)
db.commit()
keys = ["a@h1", "b@h1", "a@h,2", "b@h,2"]
def grid(path, keys, cells, times):
    with open(path, "w") as f:
        f.write("time," + ",".join(keys) + "\n")
        for t in times:
            f.write(str(t) + "".join("," + (repr(cells[t, c]) if (t, c) in cells else "") for c in keys) + "\n")
grid("want.bytes", keys, {k: v for k, v in want.items()}, range(start, start + 390, 10))
loads = {(row[1], row[3] + "@" + row[2]): row[5] for row in rows if row[5] != ""}
seen = [k for k in keys if any(c == k for _, c in loads)]
grid("want.load", seen, loads, range(start, start + 400, 10))
grid("want.only", ["a@h1", "a@h,2"], want, range(start, start + 390, 10))
END
cat >by-epoch.conf <<'END'
[table]
time = epoch
component = {disk}@{host}
query = SELECT * FROM disks ORDER BY epoch
[measure datatargets/readbytes]
column = read_kib
unit = KiB
kind = counter
[measure dataservers/cpuload]
column = load
END
sed 's/^time = .*/time = stamp\nzone = +01:00/' by-epoch.conf >by-text.conf
sed 's/^time = .*/&\nonly = side = x/' by-epoch.conf >only.conf
series() { # MAPPING SOURCE MEASURE; exact to a part in 1e12, numbers as Python prints them
    baro series show -m "$3" "map:$1:$2" 2>said | python3 -c 'import sys
for line in sys.stdin:
    out = []
    for cell in line.rstrip("\n").split(",") if line[0] != "t" else [line.rstrip("\n")]:
        try:
            out.append(repr(float(cell)).removesuffix(".0") if "." in cell or "e" in cell else cell)
        except ValueError:
            out.append(cell)
    print(",".join(out))'
}
for source in table.csv table.sqlite3; do
    for map in by-epoch.conf by-text.conf; do
        is "$source by $map: bytes" "$(series $map $source datatargets/readbytes)" "$(cat want.bytes)"
        is "$source by $map: loads" "$(series $map $source dataservers/cpuload | sort)" "$(sort want.load)"
    done
done
is "only some rows" "$(series only.conf table.csv datatargets/readbytes)" "$(cat want.only)"
gzip -k table.csv
is "out of a compressed file" "$(series by-epoch.conf table.csv.gz datatargets/readbytes)" "$(cat want.bytes)"
is "a row that cannot be read is named" \
    "$(sed '7s/[0-9]\{10\}/soon/; 9s/,[xy]/,,,/' table.csv >bad.csv; series by-epoch.conf bad.csv dataservers/cpuload >/dev/null; cat said)" \
    "baro: bad.csv: row 7: its time is none
baro: bad.csv: 2 rows could not be read"
refuses() { # MAPPING SOURCE
    ! baro series show "map:$1:$2" 2>said
}
sed 's/{host}/{node}/' by-epoch.conf >no.conf
ok "a column that is not there is refused" refuses no.conf table.csv
is "in words" "$(cat said)" "baro series show: the table has no column 'node'"
sed 's/datatargets.readbytes/switch\/flits/' by-epoch.conf >unknown.conf
ok "a measure that is none is refused" refuses unknown.conf table.csv
grep -v query by-epoch.conf >mute.conf
ok "a database wants a query" refuses mute.conf table.sqlite3
sed 's/^query = .*/query = DELETE FROM disks/' by-epoch.conf >delete.conf
ok "what changes a database is refused" refuses delete.conf table.sqlite3
is "and changes nothing" "$(series by-epoch.conf table.sqlite3 datatargets/readbytes | cksum)" "$(cksum <want.bytes)"

# The mappings that are shipped.
printf '#Time,Time_usec,ProducerName,component_id,job_id,ost,read_bytes.sum,write_bytes.sum\n%s\n%s\n%s\n' \
    1514390580.000912,912,oss1,1,0,fs-OST0000,100,7 1514390590.000913,913,oss1,1,0,fs-OST0000,350,7 \
    1514390600.000914,914,oss1,1,0,fs-OST0000,350,9 >store.csv
is "LDMS's store_csv" "$(series "$TOP/etc/tables/ldms-lustre.conf" store.csv datatargets/readbytes)" \
    "time,fs-OST0000@oss1
1514390580,250
1514390590,0"

. "$TOP/tests/lib-postgres.sh"
if pg_available && pg_share >/dev/null 2>&1; then
    "$PG_BIN/psql" -q -c 'CREATE TABLE disks (stamp timestamp, epoch bigint, host text, disk text, read_kib numeric, load float8, side text)' \
        -c "\\copy disks FROM table.csv CSV HEADER" >psql.out 2>&1
    for map in by-epoch.conf by-text.conf; do
        is "PostgreSQL by $map" "$(series $map postgresql:// datatargets/readbytes)" "$(cat want.bytes)"
    done
    ok "what changes it is refused" refuses delete.conf postgresql://
    is "in its words" "$(sed 's,^baro series show: ,baro: ,' said | cut -c1-60)" "baro: PostgreSQL: ERROR:  cannot execute DELETE in a read-on"
    pg_stop
else
    skip "PostgreSQL" "it is not here"
fi
finish
