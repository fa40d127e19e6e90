#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every printed column has its own number: where each field of the input differs from all
# others, no two columns can be printed for each other unnoticed.
. "$(dirname "$0")/lib.sh"
requires curl jq python3
PATH=$BUILD/tests/fill:$PATH
cd "$SCRATCH" || exit 1

# ---- what a Lustre server counts ----

cat >dump <<'END'
obdfilter.scratch-OST0001.job_stats=
job_stats:
- job_id:          "7.1000"
  snapshot_time:   1723114647.5 secs.nsecs
  start_time:      1723114600.25 secs.nsecs
  elapsed_time:    47.125 secs.nsecs
  read_bytes:      { samples: 11, unit: bytes, min: 12, max: 13, sum: 140, sumsq: 1500, hist: { 16: 10, 32: 1 } }
  write:           { samples: 21, unit: usecs, min: 22, max: 23, sum: 240, sumsq: 2500 }
END
is "jobstats parse: JSON" \
    "$(baro jobstats parse -o json dump | jq -c '.ops, .snapshot_time, .start_time, .elapsed_time' | tr '\n' ' ')" \
    '{"read_bytes":{"samples":11,"unit":"bytes","min":12,"max":13,"sum":140,"sumsq":1500,"hist":{"16":10,"32":1}},"write":{"samples":21,"unit":"usecs","min":22,"max":23,"sum":240,"sumsq":2500}} 1723114647.5 1723114600.25 47.125 '
# by_name FILE COLUMN...: of each row of a CSV, by the names of its header.
by_name() {
    python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    print(" ".join(row[name] or "-" for name in sys.argv[2:]))' "$@"
}
baro jobstats parse -o csv dump >parsed.csv
is "jobstats parse: CSV" "$(by_name parsed.csv op unit samples min max sum sumsq start_time elapsed_time)" \
    "read_bytes bytes 11 12 13 140 1500 1723114600.250000000 47.125000000
write usecs 21 22 23 240 2500 1723114600.250000000 47.125000000"

mkdir -p root/proc/fs/lustre/mdt/a-MDT0000 root/proc/fs/lustre/obdfilter/a-OST0000
echo 'open 31 samples [usecs] 32 33 340 3500' >root/proc/fs/lustre/mdt/a-MDT0000/md_stats
printf 'pages per bulk r/w     rpcs  %% cum %% |  rpcs        %% cum %%\n1:  41 1 1 | 42 1 1\n' \
    >root/proc/fs/lustre/obdfilter/a-OST0000/brw_stats
fields="target name unit bucket samples min max sum sumsq read write"
wanted="a-MDT0000 open usecs - 31 32 33 340 3500 - -
a-OST0000 pages per bulk r/w rpcs 1 - - - - - 41 42"
baro lustre stats --root root -o csv >stats.csv
# shellcheck disable=SC2086 # names of columns
is "lustre stats: CSV" "$(by_name stats.csv $fields)" "$wanted"
is "lustre stats: JSON" "$(baro lustre stats --root root -o json |
    jq -r '.[] | [.target, .name, .unit, .bucket, .samples, .min, .max, .sum, .sumsq, .read, .write]
        | map(if . == null then "-" else tostring end) | join(" ")')" "$wanted"

# ---- statistics of metrics: each host is the first by another of the four ----

socket=$SCRATCH/barod.sock
cat >barod.conf <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
own_metrics = 0s
[metric m]
step = 60s
aggregation = sum
CONF
mkdir store
n=$(($(date +%s) / 60 * 60 - 3000))
baro-fill-metrics "$SCRATCH/store" <<END
metric m 60s sum
c/greatest m $n 0
c/greatest m $((n + 60)) 20
c/greatest m $((n + 120)) 1
c/least m $n 8
c/least m $((n + 60)) 8
c/middle m $n 6
c/middle m $((n + 60)) 14
c/whole m $n 5
c/whole m $((n + 60)) 5
c/whole m $((n + 120)) 5
c/whole m $((n + 180)) 5
c/whole m $((n + 240)) 5
c/whole m $((n + 300)) 5
END
barod --config barod.conf >barod.log 2>&1 &
at_exit "kill -9 $!"
ok "barod starts" wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
BARO_SERVER=unix:$socket
export BARO_SERVER
baro metric query m 'c/*' --from @"$n" --to @$((n + 600)) --statistics -o csv >statistics.csv
is "metric query: CSV" "$(by_name statistics.csv component count avg min max sum)" \
    "c/greatest 3 7 0 20 21
c/least 2 8 8 8 16
c/middle 2 10 6 14 20
c/whole 6 5 5 5 30"
is "metric query: a table" \
    "$(baro metric query m 'c/*' --from @"$n" --to @$((n + 600)) --statistics --raw | awk '
        /COMPONENT|component/ { for (i = 1; i <= NF; i++) name[tolower($i)] = i; next }
        /^c\// { print $1, $(NF - 4), $(NF - 3), $(NF - 2), $(NF - 1), $NF }')" \
    "c/greatest 3 7 0 20 21
c/least 2 8 8 8 16
c/middle 2 10 6 14 20
c/whole 6 5 5 5 30"
is "/v1/query: JSON" \
    "$(curl -s --unix-socket "$socket" "http://x/v1/query?metric=m&component=c/*&from=$(date -u -d @"$n" +%FT%TZ)&to=$(date -u -d @$((n + 600)) +%FT%TZ)&statistics=only&format=json" |
        jq -r '.results[] | .statistics // . | [.count, .avg, .min, .max, .sum] | join(" ")')" \
    "3 7 0 20 21
2 8 8 8 16
2 10 6 14 20
6 5 5 5 30"
for by in "avg middle" "min least" "max greatest" "sum whole"; do
    is "top by ${by% *}" "$(curl -s --unix-socket "$socket" \
        "http://x/v1/query?metric=m&component=c/*&from=$(date -u -d @"$n" +%FT%TZ)&to=$(date -u -d @$((n + 600)) +%FT%TZ)&statistics=only&top=1&by=${by% *}&format=json" |
        jq -r '.results[].component')" "c/${by#* }"
done
instant() { # seconds behind n
    date -u -d @$((n + $1)) +%FT%T.000Z
}
printf '{"cluster":"c","id":"7","raw_id":"8","user":"ann","account":"phys","partition":"big","state":"COMPLETED","submit":%d,"start":%d,"end":%d,"node_count":2,"nodes":"n[4-5]","time_limit_s":3600,"cpus":8,"memory_bytes":4096,"gpus":0,"cpu_time_ms":777,"memory_peak_bytes":2048,"task_memory_peak_bytes":1024,"energy_j":55,"exit_status":3,"exit_signal":9,"name":"nine"}\n' $((n + 1)) $((n + 102)) $((n + 203)) >jobs.lines
ok "a job is reported" sh -c "curl -s --unix-socket '$socket' -H 'Content-Type: application/x-ndjson' \
    --data-binary @jobs.lines http://x/v1/jobs | grep -q '\"accepted\":1'"
is "/v1/jobs: a table" "$(curl -s --unix-socket "$socket" 'http://x/v1/jobs?cluster=c' |
    jq -r '. as $t | ["cluster", "job", "raw_id", "user", "account", "partition", "state", "submit", "start", "end", "node_count", "nodes", "name",
        "time_limit_s", "cpus", "memory_bytes", "gpus", "cpu_time_ms", "memory_peak_bytes", "task_memory_peak_bytes", "energy_j", "exit_status", "exit_signal"]
        | map(. as $n | ($t.columns | map(.name) | index($n)) as $i | if $i == null then "no " + $n else $t.rows[0][$i] | tostring end) | join(" ")')" \
    "c 7 8 ann phys big COMPLETED $(instant 1) $(instant 102) $(instant 203) 2 n[4-5] nine 3600 8 4096 0 777 2048 1024 55 3 9"
is "/api/query: statistics" \
    "$(curl -s --unix-socket "$socket" http://x/api/query -d "{\"cluster\":\"c\",\"from\":$n,\"to\":$((n + 540)),\"with-stats\":true,\"with-data\":false,\"queries\":[{\"metric\":\"m\",\"host\":\"greatest\"}]}" |
        jq -c '.results[0][0] | [.avg, .min, .max]')" "[7,0,20]"
finish
