#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Records of probes are joined with what was around them as every job is, and the UMAMI
# diagram of a probe has the rows of the paper's.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1
series_make=$BUILD/src/source/lmt/series_make
[ -x "$series_make" ] || skip_all "built without tests or HDF5"

# ---- six nights of one probe, in two minutes of a series that is known ----
mkdir fs
ok "a probe in a job of the batch system" env SLURM_JOB_ID=100 SLURM_CLUSTER_NAME=alex \
    baro-abc --lock fs --dir fs --size 1MiB --archive made hacc
record=$(find made -name '*.json')
night() { # NUMBER: the record as if it had been made 15 s * NUMBER into the series
    mkdir -p archive/2017/07/14
    jq -c --argjson k "$1" '.id = "20170714T0240\($k)0Z-1-hacc" | .job = "\(100 + $k)" | .mount = "/lake" | .nodes = "n[1-2]"
        | .phases[0] |= (.start = (1500000000 + 15 * $k | todate) | .wall_s = 4 | .slowest_s = 2 + $k / 4)
        | .phases[1] |= (.start = (1500000007 + 15 * $k | todate) | .wall_s = 2)' \
        "$record" >"archive/2017/07/14/20170714T0240${1}0Z-1-hacc.json"
}
for k in 0 1 2 3 4 5; do
    night $k
done
"$series_make" database day.sqlite3 "INSERT INTO OPERATION_INFO (OPERATION_ID, OPERATION_NAME) VALUES (99, 'close');
    INSERT INTO MDS_OPS_DATA (MDS_ID, TS_ID, OPERATION_ID, SAMPLES)
        SELECT MDS_ID, TS_ID, 99, SAMPLES FROM MDS_OPS_DATA JOIN OPERATION_INFO USING (OPERATION_ID)
        WHERE OPERATION_NAME = 'open';"
for k in 0 1 2 3 4 5; do
    cat <<END
BEGIN $((1500000000 + 15 * k - 3))
UUID 1K-blocks Used Available Use% Mounted on
lake-OST0000_UUID 1000 $((100 + 50 * k)) $((900 - 50 * k)) 1% /lake[OST:0]
lake-OST0001_UUID 1000 $((300 + 50 * k)) $((700 - 50 * k)) 1% /lake[OST:1]
END
done >df.txt
{
    echo "JobID|Cluster|State|Start|End|NNodes|NodeList"
    for k in 0 1 2 3 4 5; do
        echo "$((100 + k))|alex|COMPLETED|$((1500000000 + 15 * k))|$((1500000014 + 15 * k))|2|n[1-2]"
        [ "$k" = 3 ] && echo "900|alex|COMPLETED|$((1500000000 + 15 * k))|$((1500000014 + 15 * k))|8|m[1-8]"
    done
} >sacct.txt
printf 'n1 0 0 0\nn2 2 0 0\n' >places.txt

# ---- a row for each phase ----
baro job summarize -s day.sqlite3 -H df.txt -j sacct.txt -t places.txt -o json archive >rows.json 2>errors
is "nothing is wrong with them" "$(cat errors)" ""
row() { # PHASE FIELDS
    jq -c --arg id "20170714T024030Z-1-hacc-$1" ".[] | select(._jobid == \$id) | [$2]" rows.json
}
is "each phase is a run" "$(jq -c '[length, ([.[]._jobid] | unique | length)]' rows.json)" '[12,12]'
is "with its own id, and the job that it ran in" "$(row write '.darshan_jobid, .darshan_app, ._file_system')" \
    '["103","hacc_io_fpp_write","lake"]'
is "as fast as its slowest process" \
    "$(row write '(.darshan_agg_perf_by_slowest_posix * 1000 | round), .darshan_io_time')" \
    "[$(jq '.phases[0].bytes / 2.75 / 1048576 * 1000 | round' archive/2017/07/14/20170714T024030Z-1-hacc.json),2.75]"
# Steps 9 and 10 are its 4 s and one step more: 9 + 10 opens.
is "what the servers did meanwhile" "$(row write '.fs_window_start, .fs_window_end, .fs_tot_open_ops, .fs_tot_bytes_written')" \
    "[1500000045,1500000054,19,$((2 * 3 * 1048576))]"
is "its part of it" "$(row write '(.coverage_factor_bw * 1e6 | round)')" \
    "[$(jq '.phases[0].bytes / (2 * 3 * 1048576 + 19 * 3 * 4096) * 1e6 | round' archive/2017/07/14/20170714T024030Z-1-hacc.json)]"
is "how full targets were" "$(row write '.fshealth_ost_avg_full_pct, .fshealth_ost_fullness_lead_secs')" '[35,3]'
is "what else ran" "$(row write '.jobsdb_concurrent_jobs, .jobsdb_concurrent_nodes')" '[2,10]'
is "and where its nodes stand" "$(row write '.topology_job_max_radius')" '[1]'
is "a reading phase has read" "$(row read '.darshan_tot_writes_posix, .darshan_biggest_write_api_bytes, .darshan_tot_reads_posix > 0')" \
    '[0,0,true]'

# ---- the diagram ----
baro job summarize -s day.sqlite3 -H df.txt -j sacct.txt -t places.txt --resume runs.csv archive 2>errors
is "the same as a table that grows" \
    "$(baro job summarize --resume runs.csv archive 2>&1; wc -l <runs.csv | tr -d ' ')" \
    "baro: 12 of 12 logs had a row already
13"
map=$TOP/etc/studies/probes.conf
umami() {
    baro climate umami --map "$map" --id 20170714T024050Z-1-hacc-write "$@"
}
is "rows are those of the paper" "$(umami -o json runs.csv | jq -r '.[].measure' | tr '\n' ' ')" \
    "fraction coverage_factor mds_cpu opens_closes oss_cpu fullness radius concurrent_jobs "
ok "the run stands among those before it" sh -c 'umami_map=$1; shift
    baro climate umami --map "$umami_map" --id 20170714T024050Z-1-hacc-write "$@" | grep -q "beside 5 runs before it"' sh "$map" runs.csv
ok "as a picture, too" sh -c 'baro climate umami --map "$1" --id 20170714T024050Z-1-hacc-write -o svg runs.csv | grep -q "OST fullness"' sh "$map"
baro job summarize --output csv archive >bare.csv
is "without what was around them only what is known is a row" \
    "$(baro climate umami --map "$map" --id 20170714T024050Z-1-hacc-write -o json bare.csv | jq length)" 1

# ---- what is not there ----
jq -c '.phases |= .[:1]' "$record" >archive/20990101T000000Z-1-hacc.json
baro job summarize -o json archive/20990101T000000Z-1-hacc.json >half.json 2>errors
is "a phase that was not begun costs its own row" "$(jq length half.json; sed 's/^baro[a-z ]*: //' errors)" \
    "1
archive/20990101T000000Z-1-hacc.json:read: this phase did not come to its end
1 of 2 logs gave no row"
echo '{"format":"baro-abc 1"' >20990101T000000Z-2-hacc.json
ok "what is cut is no record" not baro job summarize 20990101T000000Z-2-hacc.json
finish
