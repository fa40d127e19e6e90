#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The HTML page of a job shows its bytes and metadata requests by target over time, out of rows
# of jobstats: each target in the columns in which the job used it, and in no other; no bytes of
# other jobs; the same with a log.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl awk
cd "$SCRATCH" || exit 1

barod_conf
printf '[filesystem scratch]\njobid_name = %%j:%%u:%%H\n' >>barod.conf
start_barod
get() { curl -s --unix-socket sock "http://x$1"; }
stamp() { date -u -d "@$1" +%Y-%m-%dT%H:%M:%S.000Z; }
# An hour, a round a minute, and as many columns.  Job 4711 writes 60 MiB a minute to OST0000 in
# the first half hour; reads 30 MiB a minute from OST0001 from minute 40 to 49; opens 60 files a
# minute in the last ten minutes; another job writes on all of them all the time.
end=$(($(date +%s) / 60 * 60 - 600)) start=$((end - 3600))
round=0
while [ $round -le 60 ]; do
    awk -v now="$(stamp $((start + round * 60)))" -v before="$(stamp $((start + round * 60 - 60)))" -v r=$round -v t=$((start + round * 60 - 1)) '
        function least(a, b) { return a < b ? a : b }
        function most(a, b) { return a > b ? a : b }
        function entry(job, ops) {
            printf "{\"entry_id\":\"%d:1000:n1\",\"exact\":true,\"since\":\"%s\",\"previous\":%s,\"reset\":%s,\"snapshot_time\":%d,\"ops\":{%s}}",
                job, before, r == 0 ? "null" : "\"" before "\"", r == 0 ? "true" : "false", t, ops }
        function op(name, samples, sum) {
            return sprintf("\"%s\":{\"samples\":%d,\"unit\":\"bytes\",\"sum\":%d}", name, samples, sum) }
        function target(name, own, others) {
            printf "{\"target\":\"%s\",\"timestamp\":\"%s\",\"entries\":[", name, now
            entry(4711, own); printf ","; entry(78, others); printf "]}" }
        BEGIN {
            mib = 1048576; written = least(r, 30); got = most(0, least(r, 50) - 40); opened = most(0, r - 50)
            printf "{\"format\":\"baro-jobstats-1\",\"server\":\"oss01\",\"targets\":["
            target("scratch-OST0000", op("write_bytes", written * 60, written * 60 * mib), op("write_bytes", r, r * mib)); printf ","
            target("scratch-OST0001", op("read_bytes", got * 30, got * 30 * mib), op("write_bytes", r, r * mib)); printf ","
            target("scratch-OST0002", op("write_bytes", 0, 0), op("write_bytes", r * 9, r * 9 * mib)); printf ","
            target("scratch-MDT0000", sprintf("\"open\":{\"samples\":%d,\"unit\":\"reqs\"}", opened * 60), sprintf("\"open\":{\"samples\":%d,\"unit\":\"reqs\"}", r)) 
            printf "]}" }' >batch.json
    curl -s -o reply --unix-socket sock -H 'Content-Type: application/json' --data-binary @batch.json http://x/v1/jobstats
    round=$((round + 1))
done
printf '{"cluster":"nova","id":"4711","raw_id":"4711","user":"ann","state":"COMPLETED","start":%s,"end":%s,"nodes":"n1"}\n' \
    "$start" "$end" | curl -s --unix-socket sock -H 'Content-Type: application/x-ndjson' --data-binary @- http://x/v1/jobs >reply
is "the job is stored" "$(jq .accepted reply)" 1

# map TITLE FILE: the picture of that caption, from its figure to the end.
map() { sed -n "/<figcaption>$1/,/<\/figure>/p" "$2"; }
# Columns of a row, at their height, of any strength: "0-29 40-49".  584 px are 60 columns.
columns() {
    grep "class='heat'" | grep -oE "M[0-9.]+ $1H[0-9.]+" | sed 's/^M//; s/ .*H/ /' |
        awk '{ printf "%.0f-%.0f\n", ($1 - 128) * 60 / 584, ($2 - 128) * 60 / 584 - 1 }' | sort -n | tr '\n' ' '
}
names() { grep -oE '>scratch-[A-Z]+[0-9]+</text>' | tr -d '><' | sed 's/.text//' | tr '\n' ' '; }

get /v1/jobs/4711/page >page.html
is "its bytes are by target, the most 1 MiB a second" "$(grep -oE '<figcaption>Bytes by target: [^<]*' page.html)" \
    "<figcaption>Bytes by target: faint 0 B/s, strong 1.00 MiB/s"
is "of the targets that it used" "$(map 'Bytes by target' page.html | names)" "scratch-OST0000 scratch-OST0001 "
is "one in the first half" "$(map 'Bytes by target' page.html | columns 8.0)" "0-29 "
is "the other from minute 40 to 49" "$(map 'Bytes by target' page.html | columns 24.0)" "40-49 "
is "at half the strength" "$(map 'Bytes by target' page.html | grep -oE "stroke-opacity='[0-9.]+' d='M0 0M" | tr '\n' ' ')" \
    "stroke-opacity='0.50' d='M0 0M stroke-opacity='1.00' d='M0 0M "
is "requests for metadata are a picture of their own" "$(grep -oE '<figcaption>Metadata requests by target: [^<]*' page.html)" \
    "<figcaption>Metadata requests by target: faint 0 1/s, strong 1 1/s"
is "in the last ten minutes" "$(map 'Metadata' page.html | names)$(map 'Metadata' page.html | columns 8.0)" "scratch-MDT0000 50-59 "
is "the command prints the same bytes" "$(baro job show --server "$server" 4711 -o html | cksum)" "$(cksum <page.html)"
is "a job that servers did not count has none" "$(get /v1/jobs/79/page | grep -c 'by target:')" 0

# Of a log of that job the same, beside what the log itself has.
"$BUILD/src/source/darshan/darshan_make" 341 little none 3 $((start - 1500000000)) >run.darshan
baro job show --server "$server" -o html run.darshan >log.html
is "the page of a log has them, too" "$(sed -n '/What the servers counted/,$p' log.html | grep -c '<figcaption>Bytes by target')" 1
ok "barod lives" curl -sf -o /dev/null --unix-socket sock http://x/healthz
finish
