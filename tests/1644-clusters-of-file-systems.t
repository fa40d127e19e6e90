#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which clusters' jobs use which file system: a job is not blamed for what the servers counted of
# a job with its id on another cluster, nor are jobs its neighbours that use none of its file
# systems; without that rule all is as the servers counted it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl python3
cd "$SCRATCH" || exit 1

barod_conf
cp barod.conf plain.conf
cat >>barod.conf <<'END'
[filesystem scratch]
jobid_name = %j
cluster = nova
[filesystem work]
jobid_name = %j
cluster = luna
cluster = terra
END
printf '[filesystem scratch]\njobid_name = %%j\n[filesystem work]\njobid_name = %%j\n' >>plain.conf
now=$(($(date +%s) / 60 * 60))
start=$((now - 2400)) end=$((now - 600))
{
    echo "JobID|Cluster|State|Start|End|NNodes|NodeList|User|Account"
    for cluster in nova luna terra mars; do echo "601|$cluster|COMPLETED|$start|$end|1|c01|ann|physics"; done
    echo "602|luna|COMPLETED|$start|$end|1|c02|bob|physics"
} >sacct.txt
python3 - "$start" "$end" <<'PYTHON'
import json, sys, time
start, end = int(sys.argv[1]), int(sys.argv[2])
text = lambda t: time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(t))
for number, target in enumerate(("scratch-OST0004", "work-OST0001")):
    since = None
    for n, t in enumerate(range(start, end, 60)):
        entry = {"entry_id": "601", "exact": True, "since": since and text(since), "previous": since and text(since),
                 "reset": n == 0, "snapshot_time": t, "start_time": None, "ops": {"write_bytes":
                 {"samples": n, "unit": "bytes", "min": 4096, "max": 4194304, "sum": n * (number + 1) * 10**9}}}
        with open(f"rows.{number}.{n:04d}.json", "w") as out:
            json.dump({"format": "baro-jobstats-1", "agent": f"00000000-0000-4000-8000-{number + 1:012d}",
                       "sequence": n, "server": f"oss0{number + 1}", "targets": [{"target": target,
                       "kind": "ost", "timestamp": text(t), "entries": [entry]}]}, out)
        since = t
PYTHON
start_barod
for file in rows.*.json; do
    curl -s -o out -w '%{http_code}\n' --unix-socket sock -H 'Content-Type: application/json' \
        --data-binary "@$file" http://x/v1/jobstats
done | sort -u >statuses
is "rows are stored" "$(cat statuses)" 200
is "jobs are known" "$(baro job import --server "${server:?}" sacct.txt 2>&1)" \
    "baro job import: 5 new, 0 changed, 0 known, 0 refused"
page() { # CLUSTER
    baro job show --server "$server" "$1/601" -o json |
        jq -c '[.servers.fs, .servers.own.write_bytes, .co_scheduled.jobsdb_concurrent_jobs]'
}
is "a job has what was counted on its cluster's file system" "$(page nova)" '["scratch",29000000000,1]'
is "the other one of its id has its own, and those that share the file system as neighbours" \
    "$(page luna)" '["work",58000000000,2]'
is "one of a cluster that uses neither has nothing of it" "$(page mars | jq -c '.[:2]')" '[null,null]'
ok "and the reason" sh -c "baro job show --server $server mars/601 | grep -q 'that jobs of mars do not use'"
is "JSON is what REST serves, byte for byte" "$(baro job show --server "$server" luna/601 -o json | cksum)" \
    "$(curl -s --unix-socket sock 'http://x/v1/jobs/601?cluster=luna' | cksum)"
end_barod
mv plain.conf barod.conf
start_barod
is "without the rule both are one, as servers count" "$(page nova | jq -c '.[:2]')" '[null,87000000000]'
finish
