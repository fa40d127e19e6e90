#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doc/operations.md: a backup of the state directory, and of the running database, put back
# onto an empty one, answers as before.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires curl sqlite3 tar jq

socket=$SCRATCH/barod.sock state=$SCRATCH/lib/barograph
mkdir -p "$state"
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $state/records.db
retention = 36500d
[filesystem scratch]
jobid_name = %j:%u:%H
[store]
directory = $state/store
[write]
cluster = site
metrics = open
CONF
start() {
    barod --config "$SCRATCH/barod.conf" >>"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    wait_for 60 curl -sf --unix-socket "$socket" http://x/healthz
}
stop() {
    kill -TERM $pid
    wait $pid
}
at_exit 'kill -9 $pid'
rows() {
    baro jobstats series --server "unix:$socket" -o csv
}
answers() {
    rows
    baro metric query cpu 'site/*' --server "unix:$socket" --last 1h -o csv
}
send() { # VALUE
    seq 1 50 | sed "s/.*/cpu,hostname=n& value=$1/" |
        curl -sf --data-binary @- --unix-socket "$socket" "http://x/api/write?cluster=site"
}
start || fail "barod starts"
ok "rows are accepted" curl -s --fail-with-body -H 'Content-Type: application/json' \
    --data-binary "@$TOP/tests/batches/agent-0.1.0.json" --unix-socket "$socket" http://x/v1/jobstats
ok "and samples" send 1
ok "the database is copied while barod runs" \
    sqlite3 "$state/records.db" ".backup $SCRATCH/records-backup.db"
answers >"$SCRATCH/before"
rows >"$SCRATCH/rows"
ok "there is something to lose" test "$(wc -l <"$SCRATCH/before")" -gt 50
stop
tar -C "$SCRATCH/lib" -czf "$SCRATCH/backup.tar.gz" --exclude=barograph/spool barograph

# ---- all is lost ----
start
ok "what comes after the backup" send 2
stop
mv "$state" "$state.old"
tar -C "$SCRATCH/lib" -xpzf "$SCRATCH/backup.tar.gz"
ok "barod --check finds nothing in what was restored" barod --config "$SCRATCH/barod.conf" --check
ok "it starts with it" start
answers >"$SCRATCH/after"
ok "and answers as before" cmp "$SCRATCH/before" "$SCRATCH/after"
ok "and goes on" send 3
stop

# ---- the copy of the running database ----
rm -rf "$state"
mkdir "$state"
cp "$SCRATCH/records-backup.db" "$state/records.db"
ok "with the copy of the running database it starts, too" start
is "and rows are as before" "$(rows)" "$(cat "$SCRATCH/rows")"
stop
finish
