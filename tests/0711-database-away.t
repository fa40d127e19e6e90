#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# barod starts before its PostgreSQL: it listens, says not now, and serves when it comes.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-postgres.sh"
requires curl jq
pg_available || skip_all "no PostgreSQL server programs are installed"
pg_start && pg_stop || {
    fail "PostgreSQL starts and stops"
    finish
}

socket=$SCRATCH/barod.sock
barod --set "net.socket=$socket" --set net.listen=none --set records.engine=postgres \
    --set "records.connection=$PG_CONNECTION" >"$SCRATCH/barod.log" 2>&1 &
pid=$!
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
is_listening() {
    ask -o "$SCRATCH/out" http://x/healthz
}

ok "it listens without its database" wait_for 20 is_listening
is "and is not well" "$(jq -c .status "$SCRATCH/out")" 503
ok "with the reason" grep -q "waits for its database" "$SCRATCH/out"
is "a batch is not taken" "$(post .status)" 503
ok "but asked for again" grep -q '^Retry-After: [1-9]' "$SCRATCH/head"
is "a question is not answered" "$(ask http://x/v1/jobstats/top | jq -c .status)" 503
ok "the log says what it waits for" grep -q "records: .*tried again in" "$SCRATCH/barod.log"
ok "it runs all the same" kill -0 "$pid"
pg_start
ok "when the database comes, it is well" \
    wait_for 30 curl -sf --unix-socket "$socket" http://x/healthz
is "and takes the batch" "$(post .taken)" 1
pg_stop
is "away again, a batch is not taken" "$(post .status)" 503
pg_start
is_taken() {
    [ "$(post .known)" = 1 ]
}
ok "and it recovers" wait_for 30 is_taken
kill -TERM "$pid"
wait "$pid"
is "SIGTERM ends it with status 0" $? 0
finish
