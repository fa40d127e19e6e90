#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hours of many series are read in the order of SQLite's table and sorted; of few series by their
# index.  Both give the same sums, with generations that begin anew, counters that are absent,
# and values beyond 63 bits.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl awk
cd "$SCRATCH" || exit 1

barod_conf
printf '[filesystem scratch]\njobid_name = %%j:%%u:%%H\n' >>barod.conf
start_barod --set barod.rollup_every=1d
get() { curl -s --unix-socket sock "http://x$1"; }
stamp() { date -u -d "@$1" +%Y-%m-%dT%H:%M:%S.000Z; }
start=$((($(date +%s) / 60 - 170) * 60))
# 80 jobs, a row each 150 s for 2.5 hours; each fifth job begins anew in round 30, each seventh
# has no reads, the last has a sum that needs 64 bits.
round=1
while [ $round -le 60 ]; do
    awk -v now="$(stamp $((start + round * 150)))" -v before="$(stamp $((start + round * 150 - 150)))" -v r=$round -v t=$((start + round * 150 - 1)) 'BEGIN {
        printf "{\"format\":\"baro-jobstats-1\",\"server\":\"oss01\",\"targets\":[{\"target\":\"scratch-OST0000\",\"timestamp\":\"%s\",\"entries\":[", now
        for (j = 0; j < 80; j++) {
            n = j % 5 == 0 && r >= 30 ? r - 29 : r
            fresh = n == 1
            sum = j == 79 ? "18446744073709551000" : n * (j + 1) * 1048576
            printf "%s{\"entry_id\":\"%d:1000:n1\",\"exact\":true,\"since\":\"%s\",\"previous\":%s,\"reset\":%s,\"snapshot_time\":%d,\"ops\":{\"write_bytes\":{\"samples\":%d,\"unit\":\"bytes\",\"sum\":%s}",
                j ? "," : "", 100 + j, before, r == 1 ? "null" : "\"" before "\"", fresh ? "true" : "false", t, n * (j + 1), sum
            if (j % 7) printf ",\"read_bytes\":{\"samples\":%d,\"unit\":\"bytes\",\"sum\":%d}", n, n * 65536
            printf "}}"
        }
        printf "]}]}" }' >batch.json
    curl -s -o reply --unix-socket sock -H 'Content-Type: application/json' --data-binary @batch.json http://x/v1/jobstats
    round=$((round + 1))
done
window="from=@$start&to=@$((start + 60 * 150))&op=write_bytes,read_bytes"
get "/v1/jobstats/rates?fs=scratch&by=job&limit=1000&$window" >all.json
column() { jq -r --arg name "$1" '.columns | map(.name) | index($name)' all.json; }
job=$(column job) write=$(column write_bytes) read=$(column read_bytes)
is "every job has its sum" "$(jq '.rows | length' all.json)" 80
one() { get "/v1/jobstats/rates?job=$1&by=job&$window" | grep -o '\["[^]]*\]' | grep "\"$1\""; }
of_all() { grep -o '\["[^]]*\]' all.json | grep "\"$1\""; }
for id in 100 101 105 107 114 135 140 177 178 179; do
    is "job $id has the same alone" "$(of_all $id)" "$(one $id)"
done
is "a job's bytes are what was written" "$(jq -c --argjson j "$job" --argjson w "$write" --argjson r "$read" \
    '.rows[] | select(.[$j] == "101") | [.[$w], .[$r]]' all.json)" "[$((60 * 2 * 1048576)),$((60 * 65536))]"
is "one that began anew has both generations" "$(jq -c --argjson j "$job" --argjson w "$write" \
    '.rows[] | select(.[$j] == "105") | .[$w]' all.json)" "$(((29 + 31) * 6 * 1048576))"
is "the same by target, of all and without a file system" \
    "$(get "/v1/jobstats/rates?by=target&$window" | jq -c .rows)" \
    "$(get "/v1/jobstats/rates?fs=scratch&by=target&$window" | jq -c .rows)"
ok "barod lives" curl -sf -o /dev/null --unix-socket sock http://x/healthz
finish
