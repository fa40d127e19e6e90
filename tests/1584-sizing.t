#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doc/sizing.md: its examples follow from its figures, and a barod needs no more than these.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires curl jq python3

page=$TOP/doc/sizing.md
figure() { # NAME: the bytes in the table of figures
    sed -n "s/^| $1 | \([0-9.]*\) |.*/\1/p" "$page"
}
memory=$(figure 'memory of a sample') disk=$(figure 'disk of a sample')
log=$(figure 'log of a sample') series=$(figure 'memory of a series')
row=$(figure 'disk of a row, SQLite') row_pg=$(figure 'disk of a row, PostgreSQL')
is "the page has all figures" \
    "$(for f in "$memory" "$disk" "$log" "$series" "$row" "$row_pg"; do [ "$f" ] && printf x; done)" xxxxxx

# ---- the examples ----
metrics_of() {
    grep -E '^\| [0-9]+ \| [0-9]+ \| [0-9]+ s \| [0-9.]+ GB \|' "$page" | tr -d '|'
}
rows_of() {
    grep -E '^\| [0-9]+ \| [0-9]+ \| [0-9]+ s \| [0-9.]+ M \|' "$page" | tr -d '|'
}
is "the examples of metrics are the figures' result" \
    "$(metrics_of | awk '{ print $1, $2, $3, $5, $7 }')" \
    "$(metrics_of | awk -v m="$memory" -v d="$disk" -v s="$series" '{
        day = $1 * $2 * 86400 / $3
        printf "%d %d %d %.1f %.1f\n", $1, $2, $3,
            (day * 2 * m + $1 * $2 * s) / 1e9, day * 365 * d / 1e9 }')"
is "and those of rows" \
    "$(rows_of | awk '{ print $1, $2, $3, $5, $7, $9 }')" \
    "$(rows_of | awk -v r="$row" -v p="$row_pg" '{
        day = $1 * $2 * 86400 / $3
        printf "%d %d %d %.1f %.1f %.1f\n", $1, $2, $3, day / 1e6,
            day * 400 * r / 1e9, day * 400 * p / 1e9 }')"
is "there are examples of both" "$(metrics_of | wc -l) $(rows_of | wc -l)" "4 3"

# ---- a barod ----
socket=$SCRATCH/barod.sock
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
rate_requests = 0
[records]
path = $SCRATCH/records.db
retention = 36500d
retention_rollups = 0s
[store]
directory = $SCRATCH/store
own_metrics = 0s
checkpoint = 1h
[write]
cluster = site
metrics = open
CONF
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit 'kill -9 $pid'
wait_for 60 curl -sf --unix-socket "$socket" http://x/healthz || fail "barod starts"
store() { # FIELD
    curl -s --unix-socket "$socket" http://x/v1/status | jq ".store.$1"
}
send() {
    for body in "$SCRATCH"/body.*; do
        curl -sf --data-binary "@$body" --unix-socket "$socket" "http://x/api/write?cluster=site" ||
            return 1
    done
    rm -f "$SCRATCH"/body.*
}
below() { # NAME BYTES COUNT FIGURE
    printf '# %s: %s of %s\n' "$1" "$(echo "$2 $3" | awk '{ printf "%.2f", $1 / $2 }')" "$4"
    ok "$1" awk -v b="$2" -v n="$3" -v f="$4" 'BEGIN { exit !(n > 0 && b / n <= f) }'
}

# A sample of each of 2,000 series: what a series needs beside its samples.
python3 - "$SCRATCH" <<'END'
import sys, time
now = int(time.time()) // 10 * 10
with open(f"{sys.argv[1]}/body.0", "w") as out:
    for host in range(100):
        for metric in range(20):
            out.write(f"idle{metric},hostname=i{host} value=1.5 {now}000000000\n")
END
ok "series are made" send
below "a series needs no more than its figure" "$(store used_bytes)" "$(store series)" "$series"
before=$(store used_bytes) count=$(store samples_accepted) logged=$(store log_bytes)

# Twelve hours of 40 series a sample each 10 s: loads that wander, with three digits.
python3 - "$SCRATCH" <<'END'
import random, sys, time
random.seed(1584)
now = int(time.time()) // 10 * 10
values = {}
lines = []
for step in range(4320):
    at = now - 43200 + 10 * step
    for host in range(10):
        for metric, (start, most) in enumerate([(50, 2), (4e9, 1e7), (200, 5), (0, 1)]):
            v = values.get((host, metric), start)
            values[host, metric] = v = abs(v + random.uniform(-most, most))
            lines.append(f"m{metric},hostname=n{host} value={v:.3g} {at}000000000\n")
for n in range(0, len(lines), 20000):
    with open(f"{sys.argv[1]}/body.{n:07}", "w") as out:
        out.writelines(lines[n : n + 20000])
END
ok "samples are accepted" send
samples=$(($(store samples_accepted) - count))
is "all of them" "$samples" 172800
below "a sample in memory needs no more than its figure" \
    "$(($(store used_bytes) - before))" "$samples" "$memory"
below "in the log" "$(($(store log_bytes) - logged))" "$samples" "$log"

# Rows: 2,000 entries in 20 rounds.
python3 - "$SCRATCH" <<'END'
import datetime, json, sys
begin = datetime.datetime(2022, 11, 21, 6, tzinfo=datetime.timezone.utc)
text = lambda t: t.strftime("%Y-%m-%dT%H:%M:%S.000Z")
for round_ in range(20):
    at = begin + datetime.timedelta(minutes=2 * (round_ + 1))
    since = at - datetime.timedelta(minutes=2)
    entries = []
    for job in range(2000):
        n = (round_ + 1) * (job + 1)
        ops = {op: {"samples": n * k, "unit": "bytes", "min": 4096, "max": 4194304,
                    "sum": n * k * 1048576}
               for k, op in ((1, "read_bytes"), (2, "write_bytes"))}
        ops.update({op: {"samples": n * k, "unit": "usecs"}
                    for k, op in enumerate(("getattr", "setattr", "punch", "sync",
                                            "statfs", "create", "destroy"))})
        entries.append({"entry_id": f"{100000 + job}:{job % 97}:n{job:04}", "exact": True,
                        "since": text(since), "previous": text(since) if round_ else None,
                        "reset": False if round_ else None,
                        "snapshot_time": at.timestamp(), "start_time": None, "ops": ops})
    with open(f"{sys.argv[1]}/rows.{round_:02}", "w") as out:
        json.dump({"format": "baro-jobstats-1", "server": "oss01", "targets": [
            {"target": "scratch-OST0001", "kind": "ost", "timestamp": text(at),
             "entries": entries}]}, out)
END
send_rows() {
    for batch in "$SCRATCH"/rows.*; do
        curl -sf --data-binary "@$batch" -H 'Content-Type: application/json' \
            --unix-socket "$socket" http://x/v1/jobstats | jq -e '.accepted == 2000' || return 1
    done >/dev/null
}
ok "rows are accepted" send_rows
kill -TERM $pid
wait $pid
bytes_in() {
    find "$SCRATCH/store" -name 'blocks-*' -printf '%s\n' -o -name 'index-*' -printf '%s\n' |
        awk '{ n += $1 } END { print n }'
}
# The 2,000 series of one sample are in these files, too.
below "a sample in files needs no more than its figure" "$(bytes_in)" "$samples" "$disk"
below "a row in SQLite needs no more than its figure" \
    "$(stat -c %s "$SCRATCH/records.db")" 40000 "$row"
finish
