#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# [join NAME] of a mapping: columns of a second table, found by a key and a time.
. "$(dirname "$0")/lib.sh"
cd "$SCRATCH" || exit 1
mkdir tables
awk 'BEGIN { print "when,fs,bw"
    for (i = 0; i < 40; i++) printf "%d,%s,%d\n", 1600000000 + i * 3600 + 120, i % 2 ? "a" : "b", 100 + i }' >runs.csv
awk 'BEGIN { print "stamp;name;load"
    for (i = 0; i < 30; i++) for (k = 0; k < 2; k++)
        printf "%d;%s;%d\n", 1600000000 + i * 3600, k ? "a" : "b", (k ? 1000 : 2000) - 10 * i }' >tables/load.csv
cat >tables/study.conf <<'END'
[study]
time = when
performance = bw
class = fs
[join servers]
file = load.csv
key = fs
key_column = name
time_column = stamp
within = 10m
[measure load]
value = servers.load
END
show() { baro climate study -m tables/study.conf "$@" 2>err; }
is "the measure is that of the run's system at its time" \
    "$(show --list-figures runs.csv | sed -n 's/^\(a\|b\) load r //p' | sort -u)" "-1"
is "runs without a row have none, and are counted" \
    "$(show --list-figures runs.csv | sed -n 's/^a load n //p'; show -t summary runs.csv | cat - err | grep -o 'join servers: .*')" \
    "15
join servers: tables/load.csv has no row for 10 of 40 rows"
sed 's/^within.*/within = 30d/' tables/study.conf >tables/long.conf
is "how old a row may be is the mapping's" \
    "$(baro climate study -m tables/long.conf --list-figures runs.csv | sed -n 's/^a load n //p')" 20
cat >tables/peak.csv <<'END'
fs,peak
a,200
b,400
END
cat >tables/peak.conf <<'END'
[study]
time = when
performance = bw / [limits.peak]
class = fs
[join limits]
file = peak.csv
key = fs
END
is "by a key alone, for any formula" \
    "$(baro climate study -m tables/peak.conf -t summary runs.csv | grep -cE '^observations +40$')" 1
sed 's/^value = .*/value = servers.lode/' tables/study.conf >tables/bad.conf
is "a column that the table lacks is named" \
    "$(baro climate show -m tables/bad.conf runs.csv 2>&1 | grep -o "no file has a column 'servers.lode'")" \
    "no file has a column 'servers.lode'"
printf 'fs,peak\na,1\na,2\n' >tables/peak.csv
is "a key that is there twice is refused" \
    "$(baro climate show -m tables/peak.conf runs.csv 2>&1 | grep -o "peak.csv:3: 'a' is there twice")" \
    "peak.csv:3: 'a' is there twice"
rm tables/peak.csv
ok "so is a table that is not there" not baro climate show -m tables/peak.conf runs.csv
sed '/^file/d' tables/peak.conf >tables/bad.conf
is "and a join without a file" "$(baro climate show -m tables/bad.conf runs.csv 2>&1 | grep -o '.join limits. wants file, and key or time_column')" \
    "[join limits] wants file, and key or time_column"
finish
