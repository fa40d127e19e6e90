#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Dashboards that read PostgreSQL: each SQL query of each panel, and of each variable, is run
# on a database that README's commands made and barod filled, by the role that may only read.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-postgres.sh
. "$(dirname "$0")/lib-postgres.sh"
requires python3 curl psql jq
pg_available || skip_all "no PostgreSQL server programs are installed"
pg_start || {
    fail "PostgreSQL starts"
    finish
}
PATH=$PG_BIN:$PATH
socket=$SCRATCH/sock
sed -n '/^## PostgreSQL/,/^## /s/^    //p' "$TOP/README.md" >"$SCRATCH/readme.sh"
ok "the roles are README's" sh -e "$SCRATCH/readme.sh"
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
engine = postgres
connection = host=$PG_DIR user=barod dbname=barograph
[filesystem scratch]
jobid_name = %j:%u:%H
CONF
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
at_exit "kill $! 2>/dev/null"
wait_for 60 test -S "$socket"

# Ten minutes of two jobs on one OST and one MDT, a row a minute: each minute 60 MB more of the
# first job and 120 MB of the second, half as much read, 60 and 120 of each metadata request.
t0=$(($(date +%s) / 60 * 60 - 900))
cat >"$SCRATCH/rows.py" <<'PY'
import json, sys, time
t0 = int(sys.argv[1])
def stamp(minute):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t0 + 60 * minute))
names = "open close mknod link unlink mkdir rmdir rename getattr setattr getxattr setxattr statfs sync".split()
targets = []
for minute in range(1, 11):
    for job in (1, 2):
        n = 60 * minute * job
        io = {"samples": n, "unit": "bytes", "min": 1, "max": 1}
        for target, kind, ops in (
                ("OST0000", "ost", {"write_bytes": {**io, "sum": n * 1000000}, "read_bytes": {**io, "sum": n * 500000}}),
                ("MDT0000", "mdt", {name: {"samples": n, "unit": "reqs"} for name in names})):
            targets.append({"target": "scratch-" + target, "kind": kind, "timestamp": stamp(minute), "entries": [
                {"entry_id": "%d:10%d:n%d" % (job, job, job), "exact": True, "since": stamp(minute - 1),
                 "previous": stamp(minute - 1) if minute > 1 else None, "reset": minute == 1,
                 "snapshot_time": t0 + 60 * minute, "start_time": None, "ops": ops}]})
print(json.dumps({"format": "baro-jobstats-1", "agent": "c0ffee00-0000-4000-8000-000000000001",
                  "sequence": 1, "server": "oss1", "targets": targets}))
PY
python3 "$SCRATCH/rows.py" $t0 >"$SCRATCH/rows.json"
send_rows() {
    curl -sf --unix-socket "$socket" -H 'Content-Type: application/json' --data-binary "@$SCRATCH/rows.json" \
        http://x/v1/jobstats >"$SCRATCH/answer"
}
ok "rows are stored" wait_for 60 send_rows
is "all of them" "$(jq -r .accepted "$SCRATCH/answer")" 40

PGUSER=grafana PGDATABASE=barograph
export PGUSER PGDATABASE
python3 "$TOP/tests/promql/run_sql_panels.py" "$test_count" $t0 $((t0 + 600)) 1m "$SCRATCH/rows.tsv" \
    "$TOP"/etc/grafana/postgresql/*.json >"$SCRATCH/panels" 2>&1
cat "$SCRATCH/panels"
test_count=$((test_count + $(grep -c '^\(not \)\?ok ' "$SCRATCH/panels")))
test_failed=$((test_failed + $(grep -c '^not ok ' "$SCRATCH/panels")))
is "every query of every panel was run" "$(grep -c 'brings data$' "$SCRATCH/panels")" \
    "$(jq '[.panels[].targets[]] | length' "$TOP"/etc/grafana/postgresql/*.json | awk '{ n += $1 } END { print n }')"

# ---- what they bring ----
rates() { # UID TITLE
    awk -F '\t' -v uid="$1" -v title="$2" -v from=$t0 \
        '$1 == uid && $2 == title && $3 > from { printf "%s %.0f\n", $4, $5 }' "$SCRATCH/rows.tsv" | sort | uniq -c |
        awk '{ print $2, $3, $1 }'
}
uid=$(jq -r .uid "$TOP/etc/grafana/postgresql/file-systems.json")
is "a file system's rate is that of both jobs, each minute" "$(rates "$uid" Written)" "scratch 3000000 10"
is "jobs are apart" "$(rates "$uid" "Jobs that write most")" "1 1000000 10
2 2000000 10"
is "metadata requests of all kinds" "$(rates "$uid" "Metadata requests")" "scratch 42 10"
uid=$(jq -r .uid "$TOP/etc/grafana/postgresql/job.json")
is "a job's rate is its own" "$(rates "$uid" "Written, by target")" "scratch-MDT0000 0 10
scratch-OST0000 1000000 10"
is "by node" "$(rates "$uid" "Written, by node")" "n1 1000000 10"

# Steps that Grafana takes of longer and shorter ranges are intervals of PostgreSQL, too.
for step in 1s 15s 5m 1h 1d; do
    python3 "$TOP/tests/promql/run_sql_panels.py" 0 $t0 $((t0 + 600)) $step "$SCRATCH/step.tsv" \
        "$TOP"/etc/grafana/postgresql/job.json >"$SCRATCH/step"
    is "no query fails with a step of $step" "$(grep '^not ok' "$SCRATCH/step")" ""
done
sum=$(awk -F '\t' -v uid="$uid" '$1 == uid && $2 == "Written, by target" { sum += $5 } END { printf "%.0f", sum * 86400 }' "$SCRATCH/step.tsv")
is "a day's sum is what was written" "$sum" 600000000
finish
