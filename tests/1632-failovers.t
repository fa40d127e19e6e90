#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A server that is away while a job runs: GET /v1/failovers has which targets moved, when and
# where to, and the page of a job that used one begins with it; that of a job that did not, or
# that ran before, does not name it.
. "$(dirname "$0")/lib.sh"
requires jq curl python3
cd "$SCRATCH" || exit 1

server=unix:$SCRATCH/sock
cat >barod.conf <<'END'
[filesystem scratch]
jobid_name = %j
END
barod --config barod.conf --set "records.path=$SCRATCH/r.db" --set "net.socket=$SCRATCH/sock" \
    --set "store.directory=$SCRATCH/store" --set store.own_metrics=0s --set net.listen=none 2>barod.log &
barod=$!
at_exit "kill $barod; wait $barod"
wait_for 20 baro stats --server "$server"
get() { curl -s --unix-socket "$SCRATCH/sock" "http://x$1"; }
show() { baro job show --server "$server" "$@"; }

# oss02 serves OST0004 to OST0006 and dies after 20 minutes; after 5 more oss01 has OST0004 and
# OST0005, OST0006 comes back nowhere.  OST0000 is oss01's all the time.
now=$(($(date +%s) / 60 * 60))
start=$((now - 4200)) end=$((now - 600))
cat >sacct.txt <<END
JobID|Cluster|State|Start|End|NNodes|NodeList|User|Account
601|nova|COMPLETED|$start|$end|1|c01|ann|physics
602|nova|COMPLETED|$start|$end|1|c02|bob|physics
603|nova|COMPLETED|$start|$((start + 900))|1|c03|eve|physics
END
python3 - "$start" "$end" <<'PYTHON'
import json, sys, time
start, end = int(sys.argv[1]), int(sys.argv[2])
away, back = start + 1200, start + 1500
text = lambda t: time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(t))
def server_of(ost, t):
    if ost == 0:
        return "oss01"
    return "oss02" if t < away else "oss01" if t >= back and ost < 6 else None
with open("servers.lp", "w") as out:
    for t in range(start - 600, end + 60, 60):
        for ost in (0, 4, 5, 6):
            if server_of(ost, t):
                out.write(f"lustre_capacity_bytes,cluster=lustre,hostname={server_of(ost, t)},type=ost,"
                          f"type-id=scratch-OST{ost:04x} value=1e14 {t}\n"
                          f"lustre_free_bytes,cluster=lustre,hostname={server_of(ost, t)},type=ost,"
                          f"type-id=scratch-OST{ost:04x} value=5e13 {t}\n")
used, number = {"601": 4, "602": 0, "603": 4}, 0
for job, ost in used.items():
    last, sums, was = None, 0, None
    for t in range(start + 60, min(end, start + 900) if job == "603" else end, 60):
        server = server_of(ost, t)
        if not server:
            continue
        is_new, number = server != was, number + 1
        sums = 10**9 + (0 if is_new else sums)
        row = lambda since, reset, at, n, amount: {
            "entry_id": job, "exact": True, "since": since and text(since), "previous": since and text(since),
            "reset": reset, "snapshot_time": at, "start_time": None,
            "ops": {"write_bytes": {"samples": n, "unit": "bytes", "min": 4096, "max": 4194304, "sum": amount}}}
        rows = [(t - 60, [row(None, True, None, 0, 0)])] if is_new else []
        rows.append((t, [row(t - 60, is_new, t, sums // 10**6, sums)]))
        with open(f"rows.{number:05d}.json", "w") as out:
            json.dump({"format": "baro-jobstats-1", "agent": f"00000000-0000-4000-8000-{int(job):012d}",
                       "sequence": number, "server": server,
                       "targets": [{"target": f"scratch-OST{ost:04x}", "kind": "ost", "timestamp": text(at),
                                    "entries": entries} for at, entries in rows]}, out)
        last, was = t, server
PYTHON
is "totals are stored" "$(curl -s -o out -w '%{http_code}' --unix-socket sock --data-binary @servers.lp \
    'http://x/api/write?precision=s'; cat out)" 200
for file in rows.*.json; do
    curl -s -o out -w '%{http_code}\n' --unix-socket sock -H 'Content-Type: application/json' \
        --data-binary "@$file" http://x/v1/jobstats
done | sort -u >statuses
is "rows are stored" "$(cat statuses)" 200
is "jobs are known" "$(baro job import --server "$server" sacct.txt 2>&1)" \
    "baro job import: 3 new, 0 changed, 0 known, 0 refused"

at() { date -u -d "@$1" +%FT%TZ; }
last=$(at $((start + 1140))) first=$(at $((start + 1500)))
range="from=@$((start - 600))&to=@$((end + 60))"
get "/v1/failovers?fs=scratch&$range" >moves.json
is "each target that another server has later is a row, with the last and the first time" \
    "$(jq -r '.rows[] | map(sub("\\.000Z$"; "Z")) | join(" ")' moves.json)" \
    "lustre scratch-OST0004 oss02 oss01 $last $first
lustre scratch-OST0005 oss02 oss01 $last $first"
is "a range without the move has none" \
    "$(get "/v1/failovers?from=@$((start + 1560))&to=@$end" | jq -c .rows)" "[]"
is "another file system is not known" \
    "$(get '/v1/failovers?fs=work' | jq -r '[.status, (.detail | startswith("fs: no server has sent"))] | join(" ")')" \
    "404 true"
is "a bad value names what is wanted" \
    "$(get '/v1/failovers?last=soon' | jq -r '[.status, .detail] | join(" ")')" "400 last: invalid value 'soon' (write it as 30s, 10m, 2h, 7d)"

is "the page of the job that wrote there begins with it" \
    "$(show 601 -o json | jq -r '.headline, .sentence')" \
    "failover
failover: targets of it moved to another server while it ran: scratch-OST0004 from oss02 to oss01 between $last and $first."
is "with how long no server had it, and what that cost at most" \
    "$(show 601 -o json | jq -c '.findings[] | select(.name == "failover") | [.value, .n, .which, .cost.low_s, .cost.high_s]')" \
    "[360,1,4,0,360]"
is "of another OST's job it is not claimed" "$(show 602 -o json | jq -c '[.findings[].name]')" "[]"
is "nor of one that was over" "$(show 603 -o json | jq -c '[.findings[].name]')" "[]"

finish
