#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# File systems that share a fabric: what the others moved is told, against other days; and
# clocks that the site file corrects.
. "$(dirname "$0")/lib.sh"
requires jq python3
cd "$SCRATCH" || exit 1
log_make=$BUILD/src/source/darshan/darshan_make
series_make=$BUILD/src/source/lmt/series_make
[ -x "$log_make" ] && [ -x "$series_make" ] || skip_all "built without tests or HDF5"
map=$TOP/etc/studies/jobs.conf

# The job's own servers did nothing unusual; those of the others moved three times what
# they moved on twelve other days.
"$log_make" 341 little zlib >job.darshan # on /scratch, 60 s from 1500000000
"$series_make" database own.sqlite3
mates() { # FACTOR: of the job's day
    rm -f mate-*.sqlite3
    for day in 04 05 06 07 08 09 10 11 12 13 15 16; do
        "$series_make" database "mate-$day.sqlite3" \
            "UPDATE TIMESTAMP_INFO SET TIMESTAMP = replace(TIMESTAMP, '07-14', '07-$day');"
    done
    "$series_make" database mate-14.sqlite3 \
        "UPDATE OST_DATA SET READ_BYTES = READ_BYTES * $1, WRITE_BYTES = WRITE_BYTES * $1;"
}
mates 3
cat >site.conf <<'END'
[filesystem mira-fs1]
path = /scratch
fabric = qdr-san
series = own*
[filesystem mira-fs0]
path = /fs0
fabric = qdr-san
series = mate-*
[filesystem home]
path = /home
series = home*
END
series() { for file in own.sqlite3 mate-*.sqlite3; do printf ' %s %s' "$1" "$file"; done; }
show() {
    # shellcheck disable=SC2046 # a list of options
    baro job show --site site.conf $(series -S) "$@" job.darshan
}
show >page
is "the page says who shares the fabric, and what they moved" "$(grep '^mira-fs0' page)" \
    "mira-fs0 shares the fabric qdr-san and moved 3 times its usual bytes meanwhile: 120 MiB, more than in all 12 other days at these hours."
is "as a finding, with threshold, n and p" "$(grep -A 1 '^contention-fabric' page | tr -s ' \n' ' ')" \
    "contention-fabric others on its fabric moved more than is usual for them: mira-fs0 3.0 x (reported above 2.0 x; n = 12 other days; p = 0.077 among 12 others) "
is "and for programs" "$(show -o json | jq -c '.findings[] | select(.name == "contention-fabric") | [.who, (.value * 1000 | round), .threshold, .n, .others]')" \
    '["mira-fs0",3000,2,12,12]'
is "and in the line for an epilog" "$(show --line | grep -o 'contention-fabric.*')" "contention-fabric 3.0 x"
is "the others' bytes are not taken for its own file system's" \
    "$(show -o json | jq -c '[.summary.fs_source, .summary.fs_tot_bytes_written]')" \
    "$(baro job show -S own.sqlite3 -o json job.darshan | jq -c '[.summary.fs_source, .summary.fs_tot_bytes_written]')"
# shellcheck disable=SC2046
is "the summary has it in columns" \
    "$(baro job summarize --site site.conf $(series -s) -o json job.darshan | jq -c '.[0] |
        [.site_fabric, .fabric_file_systems, .fabric_tot_bytes_written, (.fabric_times_usual * 1000 | round),
         .fabric_other_days, .fabric_other_days_as_much, .fabric_frac_missing]')" \
    '["qdr-san","mira-fs0",122683392,3000,12,0,0]'
is "columns stand there also where there is none" \
    "$(baro job summarize -s own.sqlite3 -o csv job.darshan | head -n 1 | tr , '\n' | grep -c 'fabric')" 10

# ---- what is not told ----
mates 1
is "what is usual is no finding" "$(show | grep -c '^contention-fabric')" 0
mates 3
"$series_make" database mate-20.sqlite3 "UPDATE TIMESTAMP_INFO SET TIMESTAMP = replace(TIMESTAMP, '07-14', '07-20');
    UPDATE OST_DATA SET READ_BYTES = READ_BYTES * 9, WRITE_BYTES = WRITE_BYTES * 9;"
"$series_make" database mate-21.sqlite3 "UPDATE TIMESTAMP_INFO SET TIMESTAMP = replace(TIMESTAMP, '07-14', '07-21');
    UPDATE OST_DATA SET READ_BYTES = READ_BYTES * 9, WRITE_BYTES = WRITE_BYTES * 9;"
is "nor what other days had too" "$(show | grep -c '^contention-fabric') $(show | grep -o 'more than in 12 of 14')" \
    "0 more than in 12 of 14"
rm mate-20.sqlite3 mate-21.sqlite3
sed 's/^fabric = .*//' site.conf >apart.conf
# shellcheck disable=SC2046
is "of file systems that share none nothing is said, nor taken for the job's" \
    "$(baro job show --site apart.conf $(series -S) job.darshan | grep -c 'mira-fs0\|fabric') $(baro job show --site apart.conf $(series -S) -o json job.darshan | jq .summary.fs_source)" \
    '0 "own.sqlite3"'
rm mate-0*.sqlite3
is "six other days are enough to say what is usual" "$(show | grep '^mira-fs0')" \
    "mira-fs0 shares the fabric qdr-san and moved 3 times its usual bytes meanwhile: 120 MiB, more than in all 6 other days at these hours."
is "but too few for a p that is small enough" "$(show | grep -c '^contention-fabric')" 0
rm mate-1[0-3].sqlite3
is "of two days it says the bytes alone" "$(show | grep '^mira-fs0')" \
    "mira-fs0 shares the fabric qdr-san and moved 120 MiB meanwhile."

# ---- two on the fabric, with another step ----
mates 3
cp mate-14.sqlite3 home-14.sqlite3
for day in 04 05 06 07 08 09 10 11 12 13 15 16; do cp mate-$day.sqlite3 home-$day.sqlite3; done
sed 's/^path = .home/&\nfabric = qdr-san/' site.conf >both.conf
for file in home-*.sqlite3; do set -- "$@" -S "$file"; done
# shellcheck disable=SC2046
is "of several it is said together" \
    "$(baro job show --site both.conf $(series -S) "$@" job.darshan | grep '^mira-fs0')" \
    "mira-fs0 and home share the fabric qdr-san and moved 3 times their usual bytes meanwhile: 239 MiB, more than in all 12 other days at these hours."

# ---- against a climate ----
# shellcheck disable=SC2046
baro job summarize --site site.conf $(series -s) -o csv job.darshan >one.csv
cat >alike.py <<'END'
import csv, sys
row = next(csv.DictReader(open("one.csv")))
out = csv.DictWriter(sys.stdout, row.keys())
out.writeheader()
speed = float(row["darshan_agg_perf_by_slowest_posix"])
for i in range(120):
    r = dict(row)
    r["_jobid"] = f"alike{i}"
    r["darshan_start_time"] = 1490000000 + i * 86400
    r["darshan_agg_perf_by_slowest_posix"] = speed * 1.5 * (1 + i * 0.001)
    r["fabric_times_usual"] = float(sys.argv[1]) + i % 10 / 100
    out.writerow(r)
END
python3 alike.py 1 >runs.csv
is "with a climate its class gives the p" \
    "$(show -C runs.csv -m "$map" -o json | jq -c '.findings[] | select(.name == "contention-fabric") | [.who, (.value * 1000 | round), .threshold, .others, (.p * 10000 | round)]')" \
    '["mira-fs0",3000,null,120,83]'
python3 alike.py 4 >runs.csv
is "what its class knows is not told" \
    "$(show -C runs.csv -m "$map" | grep -c '^contention-fabric')" 0

# ---- baro weather ----
# shellcheck disable=SC2046
{
    is "the weather of a window says it of each" \
        "$(baro weather --site site.conf $(series -s) @1500000000 @1500000060 | grep '^On the fabric')" \
        "On the fabric qdr-san mira-fs1 moved 36.8 MiB.
On the fabric qdr-san mira-fs0 moved 110 MiB, 3 times its usual bytes; more than in all 12 other days at these hours."
    is "also as a table" \
        "$(baro weather --site site.conf $(series -s) -t fabrics -o csv @1500000000 @1500000060 | cut -d, -f1,2,7-)" \
        "fabric,file_system,times_usual,other_days,as_much,missing
qdr-san,mira-fs1,,0,0,0
qdr-san,mira-fs0,3,12,0,0"
    is "of one alone its own bytes" \
        "$(baro weather --site site.conf -F mira-fs1 $(series -s) @1500000000 @1500000060 | grep '^written' | cut -d, -f1)" \
        "$(baro weather -s own.sqlite3 @1500000000 @1500000060 | grep '^written' | cut -d, -f1)"
}
is "one that the site file does not have is said" \
    "$(baro weather --site site.conf -F lake now @1 2>&1; baro weather --site site.conf -F lake -s own.sqlite3 @1 now 2>&1; echo $?)" \
    "baro weather: a window ends after it begins
baro weather: --filesystem: the site file has no 'lake'
2"

# ---- clocks ----
printf '[clock series]\noffset = -30s\n[clock late*]\noffset = 1m\n' >clocks.conf
clocks() { baro job show --site clocks.conf -S own.sqlite3 "$@" job.darshan | grep '^Clocks'; }
is "the site file corrects clocks, and the page says so" "$(clocks)" \
    "Clocks were corrected: series=-30s, late*=1m."
is "--clock goes before it" "$(clocks --clock series=-2s)" \
    "Clocks were corrected: late*=1m, series=-2s."
burst="UPDATE OST_DATA SET READ_BYTES = 1, WRITE_BYTES = CASE WHEN TS_ID >= 107 THEN 1000000001 ELSE 1 END;"
"$series_make" database burst.sqlite3 "$burst"
written() {
    baro job summarize -s burst.sqlite3 -o json "$@" job.darshan | jq -c '.[0] | [.fs_max_bytes_written_per_sec, .clocks_corrected]'
}
printf '[clock series]\noffset = -1m\n' >minute.conf
is "times move as with --clock, and the row says by what" \
    "$(written) $(written --site minute.conf) $(written --clock series=-1m) $(written --site minute.conf --clock series=0s)" \
    '[400000000,null] [0,"series=-1m"] [0,"series=-1m"] [400000000,"series=0s"]'
is "the weather says so, too" \
    "$(baro weather --site minute.conf -s own.sqlite3 @1500000000 @1500000060 | tail -n 1)" \
    "Clocks were corrected: series=-1m."
is "the estimate prints the line to put there" \
    "$(baro analyze clock -s burst.sqlite3 job.darshan 2>&1 | grep -o 'in the site file.*')" \
    "in the site file: [clock series] with offset = -30s"
printf '[clock series]\noffset = 1500ms\n' >wrong.conf
is "one that is none is refused" \
    "$(baro job show --site wrong.conf -S own.sqlite3 job.darshan 2>&1; echo $?)" \
    "baro job show: [clock series]: offset: '1500ms' is not in whole seconds, such as -30s, at most a week
2"
finish
