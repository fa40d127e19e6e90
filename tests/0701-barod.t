#!/bin/sh
# The daemon: starts, takes in, keeps over kill -9 and stops, says how it is.
. "$(dirname "$0")/lib.sh"
requires curl jq sqlite3

socket=$SCRATCH/barod.sock
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[filesystem scratch]
jobid_name = %j:%u:%H
namespace = %j:%u:%H 2e79b8a1-c4fc-45ba-9023-d16fdce6e3fe
CONF
start_barod() {
    barod --config "$SCRATCH/barod.conf" >>"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
}
at_exit 'kill -9 $pid'
post() {
    curl -s --unix-socket "$socket" -H 'Content-Type: application/json' \
        http://x/v1/jobstats -d "$1"
}

ok "the configuration is good" sh -c \
    "barod --config '$SCRATCH/barod.conf' --check >'$SCRATCH/said'"
ok "and says what it would make" grep -q "records.db would be created" "$SCRATCH/said"
ok "but makes nothing" test ! -e "$SCRATCH/records.db"
ok "a folder that is not there is told" sh -c "! barod --config '$SCRATCH/barod.conf' --check \
    --set records.path=/nowhere/records.db 2>'$SCRATCH/said' && grep -q \"'/nowhere'\" '$SCRATCH/said'"
ok "barod starts" start_barod
t=$(date -u +%Y-%m-%dT%H:00:00.000Z)
row='{"target":"scratch-OST0001","entry_id":"11317854:17627127:r01c01","timestamp":"'$t'","snapshot_time":1669010520,"read":7754,"write":4284}'
is "a batch in the flat form is taken" "$(post "[$row]" | jq -c '[.accepted,.duplicate,.refused]')" "[1,0,0]"
is "sending it again changes nothing" "$(post "[$row]" | jq -c '[.accepted,.duplicate,.refused]')" "[0,1,0]"
is "a bad entry costs itself" "$(post "[{\"target\":7},$row]" | jq -c '[.duplicate,.refused]')" "[1,1]"
is "broken JSON costs the batch and is told" "$(post '[{' | jq -r .status)" 400

kill -9 $pid
wait $pid 2>/dev/null
is "after kill -9 the row is there, with the id of the proposal" \
    "$(sqlite3 "$SCRATCH/records.db" "select target, job_id from series")" \
    "scratch-OST0001|11317854"
ok "the id is as uuidgen makes it" sh -c \
    "sqlite3 '$SCRATCH/records.db' 'select hex(time_series_id) from series' |
     grep -qiF AF854063C381585FB551CE0B6C4440A3"
ok "barod starts again" start_barod
is "and knows what it has" "$(post "[$row]" | jq -c '[.accepted,.duplicate]')" "[0,1]"
ok "/metrics counts" sh -c \
    "curl -s --unix-socket '$socket' http://x/metrics | grep -qx 'baro_ingest_rows_duplicate_total 1'"
ok "and baro stats shows the same to people" sh -c \
    "baro stats --server 'unix:$socket' --output csv | grep -q '^baro_ingest_rows_duplicate_total,1,'"
kill -TERM $pid
wait $pid
is "SIGTERM ends it with status 0" $? 0
echo '[net]
socke = x' >"$SCRATCH/bad.conf"
barod --config "$SCRATCH/bad.conf" 2>"$SCRATCH/err"
is "a wrong key is misuse" $? 2
ok "and is named with file and line" grep -q "bad.conf:2: socke: there is no such key" "$SCRATCH/err"
finish
