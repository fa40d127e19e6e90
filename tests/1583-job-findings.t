#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Findings of what was around a run, by thresholds and against its class; and job diff's
# floor out of a climate.
. "$(dirname "$0")/lib.sh"
requires jq python3
cd "$SCRATCH" || exit 1
log_make=$BUILD/src/source/darshan/darshan_make
series_make=$BUILD/src/source/lmt/series_make
[ -x "$log_make" ] && [ -x "$series_make" ] || skip_all "built without tests or HDF5"
map=$TOP/etc/studies/jobs.conf
"$log_make" 341 little zlib >job.darshan # 13 % of all bytes are its own
"$series_make" database day.sqlite3
around() { jq -c '[.findings[] | select(.measure | test("^(contention|fs)_?")) | [.name, .n, .others]]'; }

is "without series nothing is told of what was around" \
    "$(baro job show -o json job.darshan | around)" "[]"
is "by thresholds: others moved most of the bytes, of so many steps" \
    "$(baro job show --series day.sqlite3 -o json job.darshan | around)" '[["contention",13,0]]'
is "in words, with evidence, threshold and n" \
    "$(baro job show --series day.sqlite3 job.darshan | grep -A 1 '^contention' | tr -s ' \n' ' ')" \
    "contention others moved much of what the file system moved meanwhile 87 % (reported above 50 %; n = 13 steps) "
is "that is so of most jobs, and is not in the line for an epilog" \
    "$(baro job show --line --series day.sqlite3 job.darshan | grep -c contention)" 0

# A class of 120 runs, all faster than ours; its servers were never as busy.
baro job summarize -s day.sqlite3 -o csv job.darshan >one.csv 2>err
cat >alike.py <<'END'
import csv, sys
row = next(csv.DictReader(open("one.csv")))
out = csv.DictWriter(sys.stdout, row.keys())
out.writeheader()
speed = float(row["darshan_agg_perf_by_slowest_posix"])
busy, faster = int(sys.argv[1]), float(sys.argv[2])
for i in range(int(sys.argv[3])):
    r = dict(row)
    r["_jobid"] = f"alike{i}"
    r["darshan_start_time"] = 1490000000 + i * 86400
    r["darshan_agg_perf_by_slowest_posix"] = speed * faster * (1 + i * 0.001)
    r["fs_ave_oss_cpu"] = busy + i % 10
    out.writerow(r)
END
show() { baro job show --series day.sqlite3 --climate runs.csv --map "$map" "$@" job.darshan; }
python3 alike.py 5 1.5 120 >runs.csv
is "of a slow run is told what it had more of than all others, with p" \
    "$(show -o json | around)" '[["busy-servers",13,120]]'
is "in words, with what it cost at most" "$(show | grep -A 1 '^busy-servers' | tr -s ' \n' ' ')" \
    "busy-servers at most 0.78 s of 60 s: the data servers were busy 16 % (n = 13 steps; p = 0.0083 among 120 others) "
is "by how much longer it took than its class" \
    "$(show -o json | jq '(.findings[] | select(.name == "busy-servers").cost.high_s) == .excess.high_s and .excess.low_s > 0 and .excess.high_s < .io.high_s')" true
python3 alike.py 15 1.5 120 >runs.csv
is "what is usual in its class is not told" "$(show -o json | around)" "[]"
python3 alike.py 5 0.5 120 >runs.csv
is "nor is anything of a run that was not slow" "$(show -o json | around)" "[]"
python3 alike.py 5 1.5 20 >runs.csv
is "among 20 others no chance is small enough: thresholds tell" \
    "$(show -o json | around)" '[["contention",13,0]]'

# ---- the floor of job diff ----
python3 alike.py 5 1.5 40 >runs.csv
is "the climate gives job diff the floor of the class" \
    "$(baro job diff --climate runs.csv --map "$map" job.darshan job.darshan | sed -n 's/ of comparable runs.*//p')" \
    "The noise floor is that of 780 pairs"
is "the usual is then what alike runs differ by, clocks are no better than 5 %" \
    "$(baro job diff --climate runs.csv --map "$map" job.darshan job.darshan | grep usual | head -n 1)" \
    "Nothing differs beyond the usual 5 %."
is "one that is given goes before" \
    "$(baro job diff --floor 77 --climate runs.csv --map "$map" job.darshan job.darshan | grep -c 'pairs of comparable runs of\|usual 77 %')" 1
finish
