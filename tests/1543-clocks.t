#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Clocks that differ: baro analyze clock finds the offset, --clock takes it back.
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1
log_make=$BUILD/src/source/darshan/darshan_make
series_make=$BUILD/src/source/lmt/series_make
[ -x "$log_make" ] && [ -x "$series_make" ] || skip_all "built without tests or HDF5"
# The log's one traced access is in the first second of 1500000000; the servers see
# a burst at second 30, and nothing else.
"$log_make" 341 little zlib >job.darshan
burst="UPDATE OST_DATA SET READ_BYTES = 1, WRITE_BYTES = CASE WHEN TS_ID >= 107 THEN 1000000001 ELSE 1 END;"
"$series_make" database late.sqlite3 "$burst"
baro analyze clock -s late.sqlite3 -o json job.darshan >answer 2>err
is "the offset is found, and what takes it back" \
    "$? $(jq -c '.clock[0] | [.offset_s, .step_s, .jobs, (.r * 1000 | round), .is_clear, .correction]' answer)" \
    '0 [30,5,1,1000,true,"series=-30s"]'
"$series_make" database flat.sqlite3
is "of servers that do the same all the time nothing is claimed" \
    "$(baro analyze clock -s flat.sqlite3 -o json job.darshan | jq -c '.clock[0] | [.is_clear, .correction]')" \
    "[false,null]"
is "a log of another time has no part in it" \
    "$("$series_make" database other.sqlite3 "UPDATE TIMESTAMP_INFO SET TIMESTAMP = replace(TIMESTAMP, '2017', '2018');"
        baro analyze clock -s other.sqlite3 job.darshan 2>&1; echo $?)" \
    "baro analyze clock: job.darshan: no series has enough of its time
baro analyze clock: no log and series have a time in common
1"
written() { # OPTION...
    baro job summarize -s late.sqlite3 -o json "$@" job.darshan | jq '.[0].fs_max_bytes_written_per_sec'
}
# The burst moves out of the job's time, and in again.
is "the series' times are corrected" "$(written) $(written --clock series=-1m) $(written --clock series=-30s)" \
    "400000000 0 400000000"
is "those of one file alone, and the last that fits" \
    "$(written --clock 'late*=-1m') $(written --clock 'early*=-1m') $(written --clock series=-1m --clock 'late*=-30s')" \
    "0 400000000 400000000"
{
    echo "JobID|Cluster|State|Start|End|NNodes|JobName"
    echo "900001|big|COMPLETED|1500000100|1500000160|10|after"
} >sacct.txt
neighbours() {
    baro job summarize -j sacct.txt -o json "$@" job.darshan | jq '.[0].jobsdb_concurrent_jobs'
}
is "so are those of jobs" "$(neighbours) $(neighbours --clock jobs=-1m)" "null 1"
{
    echo "BEGIN 1500000010"
    echo "UUID 1K-blocks Used Available Use% Mounted on"
    echo "lake-OST0000_UUID 1000 250 750 1% /scratch[OST:0]"
} >df.txt
health() {
    baro job summarize -H df.txt -o json "$@" job.darshan | jq '.[0].fshealth_ost_most_full_pct'
}
is "and those of health" "$(health) $(health --clock health=-30s)" "null 25"
is "the page says that clocks were corrected" \
    "$(baro job show -S late.sqlite3 --clock series=-30s job.darshan | grep '^Clocks')" \
    "Clocks were corrected: series=-30s."
is "the weather moves with them" \
    "$(baro weather @1500000000 @1500000005 -s late.sqlite3 --clock series=-30s -t flows -o json |
        jq -c '[.flows[] | select(.measure == "datatargets/writebytes").total]')" "[2000000000]"
# What the servers saw at second 30 may have been the job's: it moved 5 MiB.
"$series_make" database own.sqlite3 \
    "UPDATE OST_DATA SET READ_BYTES = 1, WRITE_BYTES = CASE WHEN TS_ID >= 107 THEN 2621441 ELSE 1 END;"
is "the page says that they seem to differ, and takes nothing back by itself" \
    "$(baro job show -S own.sqlite3 job.darshan | grep "^The servers' clocks\|^Clocks")" \
    "The servers' clocks seem to be 30 s ahead of those of the job, to a step of 5 s (r = 1.00): see baro analyze clock."
is "also for programs" "$(baro job show -S own.sqlite3 -o json job.darshan | jq .clock_offset_s)" 30
is "when it is taken back nothing seems to differ" \
    "$(baro job show -S own.sqlite3 --clock series=-30s job.darshan | grep -c "^The servers' clocks")" 0
is "a burst that is too large to be the job's is a stranger's" \
    "$(baro job show -S late.sqlite3 job.darshan | grep -c "^The servers' clocks")" 0
is "nor is anything claimed of servers that do the same all the time" \
    "$(baro job show -S flat.sqlite3 job.darshan | grep -c "^The servers' clocks")" 0
for wrong in series series=30 =-3s series=1500ms series=8d; do
    is "$wrong is refused" "$(baro job show -S own.sqlite3 --clock $wrong job.darshan 2>&1; echo $?)" \
        "baro job show: --clock: '$wrong' is not of the form SOURCE=OFFSET, such as series=-30s
2"
done
finish
