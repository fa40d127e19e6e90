#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# barod starts before its PostgreSQL: it listens, asks for job counters again, serves when
# the database comes.  Metrics need none: they are kept and answered all the while.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-postgres.sh"
requires curl jq python3
pg_available || skip_all "no PostgreSQL server programs are installed"
pg_start && pg_stop || {
    fail "PostgreSQL starts and stops"
    finish
}

# What systemd would hear, a line each.
export NOTIFY_SOCKET="$SCRATCH/notify"
python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1])
while True:
    print(s.recv(4096).decode().rstrip().replace("\n", " "), flush=True)' \
    "$NOTIFY_SOCKET" >"$SCRATCH/notified" &
at_exit "kill $!"
ok "somebody hears its notifications" wait_for 20 test -S "$NOTIFY_SOCKET"

socket=$SCRATCH/barod.sock
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
engine = postgres
connection = $PG_CONNECTION
[store]
directory = $SCRATCH/store
[metric power]
step = 10s
CONF
start_barod() {
    barod --config "$SCRATCH/barod.conf" >>"$SCRATCH/barod.log" 2>&1 &
    pid=$!
}
start_barod
at_exit 'kill -9 $pid'
ask() {
    curl -s -D "$SCRATCH/head" --unix-socket "$socket" "$@"
}
t=$(date -u +%Y-%m-%dT%H:00:00.000Z)
post() {
    ask http://x/v1/jobstats -H 'Content-Type: application/json' \
        -d '[{"target":"scratch-OST0001","entry_id":"cp.0","timestamp":"'"$t"'",
        "snapshot_time":1669010520,"write":1}]' | jq -c "$1"
}
second=$(date -u +%s)
second=$((second - second % 10))
# One sample at the second given; what is answered.
write_metric() {
    ask -o /dev/null -w '%{http_code}\n' "http://x/api/write?cluster=alex" \
        -d "power,hostname=a0903 value=$2 $1"
}
# The values of the ten seconds that begin at the second given, and of the next ten.
values() {
    ask http://x/api/query -d '{"cluster":"alex","from":'"$1"',"to":'"$(($1 + 20))"',
        "queries":[{"metric":"power","host":"a0903"}]}' | jq -c '.results[0][0].data'
}
is_listening() {
    ask -o "$SCRATCH/out" http://x/healthz
}

ok "it listens without its database" wait_for 20 is_listening
is "and is not well" "$(jq -c .status "$SCRATCH/out")" 503
ok "with the reason" grep -q "waits for its database; metrics are accepted" "$SCRATCH/out"
is "metrics are taken" "$(write_metric $((second - 100)) 1.5)" 200
is "and answered" "$(values $((second - 100)))" "[1.5]"
is "its own counters say what is away" \
    "$(ask http://x/metrics | sed -n 's/^baro_records_connected //p')" 0
is "a batch is not taken" "$(post .status)" 503
ok "but asked for again" grep -q '^Retry-After: [1-9]' "$SCRATCH/head"
is "a question is not answered" "$(ask http://x/v1/jobstats/top | jq -c .status)" 503
ok "with a reason" test "$(ask http://x/v1/jobstats/top | jq -r .detail)" = \
    "the database is not there yet: try again"
is "the status is, and says so" "$(ask http://x/v1/status | jq -r .records.describe)" \
    "a database that is not there yet"
ok "the log says what it waits for" grep -q "records: .*tried again in" "$SCRATCH/barod.log"
ok "and systemd hears that it has started, and why it does not serve" \
    wait_for 20 eval 'grep -q "^STATUS=waits for its database: ." "$SCRATCH/notified" &&
        grep -q "^READY=1\$" "$SCRATCH/notified"'
ok "but not that it serves" not grep -q "accepts data" "$SCRATCH/notified"
ok "it runs all the same" kill -0 "$pid"
pg_start
ok "when the database comes, it is well" \
    wait_for 30 curl -sf --unix-socket "$socket" http://x/healthz
is "and takes the batch" "$(post .accepted)" 1
is "and answers for it" "$(ask "http://x/v1/jobstats/top?last=2h&by=target" |
    jq -c .status)" null
is "metrics of before are still answered" "$(values $((second - 100)))" "[1.5]"
is "what is away is there" \
    "$(ask http://x/metrics | sed -n 's/^baro_records_connected //p')" 1
ok "and systemd hears that too" \
    wait_for 20 grep -q '^READY=1 STATUS=accepts data and serves queries' "$SCRATCH/notified"
pg_stop
is "away again, a batch is not taken" "$(post .status)" 503
is "metrics are" "$(write_metric $((second - 90)) 2.5)" 200
is "and answered" "$(values $((second - 100)))" "[1.5,2.5]"
kill -KILL "$pid"
wait "$pid" 2>"$SCRATCH/killed"
start_barod
ok "killed and started while it is away, it listens again" wait_for 20 is_listening
is "and has the metrics" "$(values $((second - 100)))" "[1.5,2.5]"
pg_start
is_taken() {
    [ "$(post .duplicate)" = 1 ]
}
ok "and it recovers" wait_for 30 is_taken
kill -TERM "$pid"
wait "$pid"
is "SIGTERM ends it with status 0" $? 0
ok "and is told as stopping" wait_for 20 grep -q '^STOPPING=1' "$SCRATCH/notified"
ok "the unit's start is no question of the database" \
    not grep -q '^ExecStartPre=.*--check' "$TOP/etc/systemd/barod.service.in"
finish
