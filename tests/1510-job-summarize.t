#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro job summarize: a Darshan log and the series of the servers become a row.
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1
log_make=$BUILD/src/source/darshan/darshan_make
series_make=$BUILD/src/source/lmt/series_make
[ -x "$log_make" ] && [ -x "$series_make" ] || skip_all "built without tests or HDF5"
"$log_make" 341 little zlib >job.darshan # starts at 1500000000, lasts 60 s
"$series_make" database day.sqlite3
"$series_make" h5lmt day.h5lmt
ok "the day is archived" baro series archive -o day.hdf5 day.sqlite3

pick() { # FILE FIELDS
    baro job summarize -s "$1" -o json job.darshan 2>errors | jq -c ".[0] | [$2]"
}
# Steps 0 .. 12 (the job's 60 s, and one step more): 78 = 0 + 1 + ... + 12.
is "what the servers did meanwhile is summed over targets and steps" \
    "$(pick day.hdf5 '.fs_tot_bytes_read, .fs_tot_bytes_written, .fs_max_bytes_written_per_sec, .fs_min_bytes_read_per_sec, .fs_tot_open_ops, .fs_tot_getattr_ops')" \
    "[$((78 * 4096 * 3)),$((13 * 1048576 * 3)),629145.6,0,78,156]"
is "loads are averaged" "$(pick day.hdf5 '.fs_ave_oss_cpu, .fs_max_oss_cpu, .fs_ave_mds_cpu, .fs_max_mds_cpu')" \
    '[15.5,20.5,6,12]'
is "the window is told" \
    "$(pick day.hdf5 '.fs_window_start, .fs_window_end, .fs_timestep, .fs_frac_missing, .fs_source')" \
    '[1500000000,1500000065,5,0,"day.hdf5"]'
values='[to_entries[] | select(.key | startswith("fs_")) | select(.key != "fs_source" and .key != "fs_series")]'
for other in day.sqlite3 day.h5lmt; do
    is "$other gives what the archive gives" "$(pick "$other" "$values")" "$(pick day.hdf5 "$values")"
done
# POSIX of the log: 12 opens, 2.5 MiB each way.
is "the job's part is said, and what cannot be is marked" \
    "$(pick day.hdf5 '(.coverage_factor_opens * 1000 | round), (.coverage_factor_read_bw * 1000 | round), (.coverage_factor_write_bw * 1000 | round), .coverage_factor_ops, .coverage_broken')" \
    '[154,2735,64,null,"read_bw"]'
"$series_make" database hole.sqlite3 "DELETE FROM OST_DATA WHERE TS_ID BETWEEN 103 AND 106;"
is "a hole in the window is counted and not filled" \
    "$(pick hole.sqlite3 '(.fs_frac_missing * 1000 | round), .fs_tot_bytes_written')" \
    "[308,$((13 * 1048576 * 3))]"
"$series_make" database elsewhere.sqlite3 "UPDATE TIMESTAMP_INFO SET TIMESTAMP = replace(TIMESTAMP, '2017', '2018');"
is "series of another time say nothing" \
    "$(pick elsewhere.sqlite3 '.fs_tot_bytes_read, .fs_source, .coverage_factor_bw, .darshan_nprocs')" \
    '[null,null,null,4]'

baro job summarize -o csv job.darshan job.darshan 2>errors >jobs.csv
is "a row a job, under one header" "$(wc -l <jobs.csv | tr -d ' ')" 3
is "all rows have the same columns, with series and without" \
    "$(baro job summarize -o csv -s day.hdf5 job.darshan | head -n 1 | cksum)" "$(head -n 1 jobs.csv | cksum)"
is "a log that is none is said, and the others are done" \
    "$(echo none >none; baro job summarize -o json none job.darshan 2>errors | jq length; grep -c none errors)" "1
1"
cp job.darshan other.darshan
baro job summarize --resume all.csv job.darshan 2>errors
cp all.csv whole.csv
printf 'half a row' >>all.csv
is "a table of jobs is gone on with: what is there is passed over, half a row goes" \
    "$(baro job summarize --resume all.csv job.darshan other.darshan 2>&1; wc -l <all.csv | tr -d ' ')" \
    "baro: 1 of 2 logs had a row already
3"
is "the rows before stay as they were" "$(head -n 2 all.csv | cksum)" "$(cksum <whole.csv)"
echo "a,b" >foreign.csv
is "a table of something else is left alone" \
    "$(baro job summarize --resume foreign.csv job.darshan 2>&1; echo $?; cat foreign.csv)" \
    "baro job summarize: foreign.csv: has no column _log
1
a,b"
is "without logs the command line is wrong" "$(baro job summarize 2>/dev/null; echo $?)" 2

# ---- health and neighbours: a file system of our own, a job of ours ----
baro job summarize -o json job.darshan >plain.json
start=$(jq -r '.[0].darshan_start_time' plain.json)
end=$(jq -r '.[0].darshan_end_time' plain.json)
id=$(jq -r '.[0]._jobid' plain.json)
fs=$(jq -r '.[0]._file_system' plain.json)
df() { # SECONDS USED0 USED1
    echo "BEGIN $1"
    echo "UUID 1K-blocks Used Available Use% Mounted on"
    echo "lake-OST0000_UUID 1000 $2 $((1000 - $2)) 1% /${fs}[OST:0]"
    echo "lake-OST0001_UUID 1000 $3 $((1000 - $3)) 1% /${fs}[OST:1]"
}
{
    df $((start - 5000)) 1 1
    df $((start - 60)) 250 750
    df $((start + 1)) 999 999 # after its start: says nothing of what it met
} >df.txt
{
    echo "BEGIN $((start - 30))"
    echo "  1 UP osc lake-OST0000-osc-ffff8800 11111111-2222 5 10.0.0.1@o2ib"
    echo "  2 UP osc lake-OST0001-osc-ffff8800 11111111-2222 5 10.0.0.1@o2ib"
    echo "  3 UP osc lake-OST0002-osc-ffff8800 11111111-2222 5 10.0.0.2@o2ib"
    echo "  4 UP osc lake-OST0003-osc-ffff8800 11111111-2222 5 10.0.0.3@o2ib"
} >dl.txt
{
    echo "JobID|Cluster|State|Start|End|NNodes|JobName"
    echo "$id|big|COMPLETED|$start|$((end + 1))|2|ours"
    echo "900001|big|COMPLETED|$((start - 3600))|$((start + 1))|10|a|b"
    echo "900002|big|COMPLETED|$((end + 1))|$((end + 50))|10|later"
    echo "900003|small|COMPLETED|$start|$end|7|elsewhere"
} >sacct.txt
baro job summarize -o json --health df.txt --health dl.txt --jobs sacct.txt job.darshan >joined.json 2>errors
is "health is the last reading before the start, with its age" \
    "$(jq -c '.[0] | [.fshealth_ost_fullness_lead_secs, .fshealth_ost_avg_full_pct, .fshealth_ost_most_full_name, .fshealth_ost_most_full_pct, .fshealth_ost_least_full_kib]' joined.json)" \
    '[60,50,"OST0001",75,250]'
is "a server with two targets where others have one is overloaded" \
    "$(jq -c '.[0] | [.fshealth_ost_failures_lead_secs, .fshealth_ost_overloaded_oss_count, .fshealth_ost_overloaded_ost_count, .fshealth_ost_overloaded_pct, .fshealth_ost_avg_overloaded_overload_factor]' joined.json)" \
    '[30,1,2,50,2]'
is "neighbours are of the job's cluster, within its seconds, itself too" \
    "$(jq -c '.[0] | [.jobsdb_concurrent_jobs, .jobsdb_concurrent_nodes]' joined.json)" '[2,12]'
is "its part of the node-hours" \
    "$(jq '.[0] | (.coverage_factor_nodehrs - 2 * ($e - $s) / (2 * ($e - $s) + 10) | fabs) < 1e-9' \
        --argjson s "$start" --argjson e $((end + 1)) joined.json)" true
mkdir health
cp df.txt "health/df-$(date -u -d "@$start" +%Y-%m-%d).txt"
cp dl.txt "health/dl-$(date -u -d "@$start" +%Y-%m-%d).txt"
baro job summarize -o json --health health job.darshan >kept.json 2>errors
is "a directory of samples says the same" "$(jq -c '.[0] | with_entries(select(.key | startswith("fshealth")))' kept.json)" \
    "$(jq -c '.[0] | with_entries(select(.key | startswith("fshealth")))' joined.json)"
mount=$(baro job summarize -o json job.darshan 2>errors | jq -r '.[0].darshan_biggest_write_fs')
cat >site.conf <<END
[filesystem elsewhere]
path = /
peak = 1GB
[filesystem home of all]
path = /nowhere
path = $mount/
fsname = $(sed -n 's/-OST.*//p' df.txt | head -n 1)
peak = 10485760B
servers = 4
targets = 8
END
baro job summarize -o json --site site.conf --health df.txt job.darshan >site.json 2>errors
is "the site file names the file system by its mount, and knows its peak" \
    "$(jq -c '.[0] | [._file_system, .site_peak_bytes_per_sec, .site_servers, .site_targets, .site_io_nodes,
        (.site_fraction_of_peak * 10 / .darshan_agg_perf_by_slowest_posix * 1000 | round)]' site.json)" \
    '["home of all",10485760,4,8,null,1000]'
is "its health is found by the name that Lustre has" \
    "$(jq -c '.[0].fshealth_ost_most_full_name' site.json)" "$(jq -c '.[0].fshealth_ost_most_full_name' joined.json)"
is "baro job show says it in words" "$(baro job show --site site.conf job.darshan | grep -c 'home of all, of 4 servers, which does 10.*MiB/s at best')" 1
ok "a site file that is wrong is said" sh -c 'echo "[filesystem" >bad.conf; ! baro job summarize --site bad.conf job.darshan 2>errors'
baro job summarize -o json --health df.txt --health-age-max 10s job.darshan >old.json 2>errors
is "what is too old is refused, and said" \
    "$(jq -c '.[0] | [.fshealth_ost_count, (.fshealth_refused | length > 20)]' old.json)" '[null,true]'
sed 's|lake-|pond-|; s|/[^ ]*\[|/pond[|' df.txt >pond.txt
is "another file system's health is not this one's" \
    "$(baro job summarize -o json --health pond.txt job.darshan | jq -c '.[0] | [.fshealth_ost_count, .fshealth_refused]')" \
    "[null,\"the job's file system is not in the readings of health\"]"

if [ -z "$SHARED" ]; then
    skip "recorded logs" "no external data"
    finish
fi
inputs=$SHARED/data/tokio/pytokio/tests/inputs
expected=$SHARED/data/tokio/expected
# What differs from pytokio: its columns minus ours, names only where values differ.
differ() { # LOG EXPECTED
    baro job summarize -o json "$inputs/$1.darshan" >ours.json 2>errors
    jq -nr --slurpfile ours ours.json --slurpfile theirs "$expected/$2" '
        def same($a; $b):
            if ($a | type) == "number" and ($b | type) == "number"
            then (($a - $b) | fabs) <= 1e-5 * ([1, ($b | fabs)] | max)
            else ($a | tostring) == ($b | tostring) end;
        [$theirs[0][0] | to_entries[]
         | select(.key | test("^(fshealth|jobsdb|topology)_") | not)
         | select(same($ours[0][0][.key]; .value) | not) | .key] | join(" ")'
}
is "sample: equal but for local time, bytes counted twice (8), shared files (14)" \
    "$(differ sample summarize_job.sample.darshan.json)" \
    "_datetime_end _datetime_start darshan_biggest_write_fs_bytes darshan_io_time"
is "its right values: 9 times in UTC, 8 bytes once, 14 the time that the speed rests on" \
    "$(jq -c '.[0] | [._datetime_start, ._datetime_end, .darshan_biggest_write_fs_bytes, (.darshan_io_time * 1000 | round)]' ours.json)" \
    '[1490000867,1490000988,2199023259968,85475]'
is "sample with all joins: likewise" "$(differ sample summarize_job.full.json)" \
    "_datetime_end _datetime_start darshan_biggest_write_fs_bytes darshan_io_time"
# All joins: the readings and the jobs of that day.
if command -v sqlite3 >/dev/null; then
    sqlite3 "$inputs/sample_nersc_jobsdb.sqlite3" \
        "SELECT 'JobID|Cluster|Start|End|NNodes' UNION ALL
         SELECT replace(stepid, '.edison', '') || '|' || hostname || '|' || start || '|' ||
             completion || '|' || numnodes FROM summary" >beside
    baro job summarize -o json --health "$inputs/sample_ost-fullness.txt.gz" \
        --health "$inputs/sample_ost-map.txt.gz" --jobs beside --cluster edison \
        "$inputs/sample.darshan" >ours.json 2>errors
    is "with all joins: health and neighbours equal, but for defects 3, 15 and 16" \
        "$(jq -nr --slurpfile ours ours.json --slurpfile theirs "$expected/summarize_job.full.json" '
            [$theirs[0][0] | to_entries[] | select(.key | test("^(fshealth|jobsdb)_"))
             | select((.value | type) == "number")
             | select(((($ours[0][0][.key] // 0) - .value) | fabs) > 1e-6 * (.value | fabs)) | .key] | join(" ")')" \
        "fshealth_ost_fullness_lead_secs fshealth_ost_next_timestamp jobsdb_concurrent_nodehrs"
    is "their right values: 1,365 s before, node-hours of 117 s" \
        "$(jq -c '.[0] | [.fshealth_ost_fullness_lead_secs, (.jobsdb_concurrent_nodehrs * 1e6 | round)]' ours.json)" \
        "$(baro job list beside -c edison -f @1490000867 -t @1490000984 --load -o json | jq -c '[1365, (.[0].node_hours * 1e6 | round)]')"
    is "and the names of the targets" \
        "$(jq -c '.[0] | [.fshealth_ost_most_full_name, .fshealth_ost_least_full_name]' ours.json)" \
        "$(jq -c '.[0] | [.fshealth_ost_most_full_name, .fshealth_ost_least_full_name]' "$expected/summarize_job.full.json")"
fi
is "sample-2: equal but for local time and shared files" \
    "$(differ sample-2 summarize_job.sample-2.darshan.json)" \
    "_datetime_end _datetime_start darshan_io_time"
is "sample-goodost: equal but for local time and bytes counted twice" \
    "$(differ sample-goodost summarize_job.sample-goodost.darshan.json)" \
    "_datetime_end _datetime_start darshan_biggest_write_fs_bytes"
is "sample-badost: equal but for local time" \
    "$(differ sample-badost summarize_job.sample-badost.darshan.json)" \
    "_datetime_end _datetime_start"
for log in noposix noposixopens; do
    is "$log: equal but for local time, the site's name, and bytes counted twice" \
        "$(differ $log summarize_job.$log.darshan.json)" \
        "_datetime_end _datetime_start _file_system darshan_biggest_read_fs_bytes darshan_biggest_write_fs_bytes"
done
finish
