#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# PostgreSQL under a running barod is put back to an older copy again and again, between
# batches of jobs old and new.  Held: every row that is stored is its own job's, whatever
# was acknowledged and not lost by a restore is there, and baro records verify finds
# nothing.  Exit 0 held, 1 not, 77 no PostgreSQL server programs.
ROUNDS=${ROUNDS:-12}
BATCHES=20 # a round; a copy is made after half of them
. "$(dirname "$0")/../lib.sh"
TOP=$(cd "$(dirname "$0")/../.." && pwd)
. "$TOP/tests/lib-postgres.sh"
pg_available || {
    echo "no PostgreSQL server programs are installed"
    exit 77
}
pg_start || exit 1
PGOPTIONS="-c client_min_messages=warning"
export PGOPTIONS
socket=$SCRATCH/barod.sock
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
engine = postgres
connection = host=$PG_DIR user=baro dbname=barograph
[filesystem scratch]
jobid_name = %j:%u:%H
CONF
admin() { psql -qAtX -d postgres -v ON_ERROR_STOP=1 -c "$1"; }
sql() { psql -qAtX -d barograph -v ON_ERROR_STOP=1 -c "$1"; }
begin=$(($(date +%s) - 7200))
# post SEQUENCE JOB: the counter of the job's row says which batch and whose it was.
post() {
    printf '{"format":"baro-jobstats-1","agent":"c0ffee00-0000-4000-8000-000000000001",
        "sequence":%d,"server":"oss-%s","targets":[{"target":"scratch-OST0000","kind":"ost",
        "timestamp":"%s","entries":[{"entry_id":"%s:2:a","exact":true,"since":null,
        "previous":null,"reset":true,"snapshot_time":%d,"start_time":null,"ops":{
        "write_bytes":{"samples":%d,"unit":"bytes","min":1,"max":1,"sum":%d}}}]}]}' \
        "$1" "$2" "$(date -u -d "@$((begin + $1))" +%Y-%m-%dT%H:%M:%SZ)" "$2" "$begin" \
        "$2" "$1" |
        curl -s -o "$SCRATCH/answer" -w '%{http_code}' --unix-socket "$socket" \
            -H 'Content-Type: application/json' --data-binary @- http://x/v1/jobstats
}
is_posted() { [ "$(post "$1" "$2")" = 200 ]; }

admin "create database barograph"
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit "kill -9 $pid"
wait_for 30 is_posted 0 9 || exit 1
sequence=0 lost=0
: >"$SCRATCH/kept"
for round in $(seq "$ROUNDS"); do
    : >"$SCRATCH/since"
    for i in $(seq $BATCHES); do
        sequence=$((sequence + 1))
        # Half of the jobs come again, half are new.
        job=$((i % 2 ? sequence + 1000 : (round * 7 + i) % 13 + 1))
        wait_for 60 is_posted $sequence $job || {
            echo "round $round: batch $sequence was not stored"
            cat "$SCRATCH/answer"
            exit 1
        }
        echo $sequence >>"$SCRATCH/since"
        if [ "$i" = $((BATCHES / 2)) ]; then
            "$PG_BIN/pg_dump" -d barograph >"$SCRATCH/dump" || exit 1
            cat "$SCRATCH/since" >>"$SCRATCH/kept"
            : >"$SCRATCH/since"
        fi
    done
    lost=$((lost + $(wc -l <"$SCRATCH/since")))
    admin "drop database barograph with (force)" && admin "create database barograph" || exit 1
    psql -qX -d barograph --single-transaction -f "$SCRATCH/dump" >"$SCRATCH/restored" || exit 1
done
sequence=$((sequence + 1))
wait_for 60 is_posted $sequence 5 || exit 1
echo $sequence >>"$SCRATCH/kept"

bad=0
wrong=$(sql "select count(*) from jobstats where job_id <> write_bytes::text or
    server <> 'oss-' || job_id")
[ "$wrong" = 0 ] || bad=1
sql "select write_bytes_sum from jobstats where write_bytes_sum > 0 order by 1" >"$SCRATCH/there"
sort -n "$SCRATCH/kept" | cmp -s - "$SCRATCH/there" || bad=1
baro records verify "host=$PG_DIR user=baro dbname=barograph" || bad=1
changes=$(curl -s --unix-socket "$socket" http://x/metrics |
    sed -n 's/^baro_records_database_changes_total //p')
[ "$changes" = "$ROUNDS" ] || bad=1
echo "figure: restores of an older copy $ROUNDS, noticed $changes"
echo "figure: batches acknowledged $sequence, taken back by restores $lost"
echo "figure: rows under another job or server $wrong"
exit $bad
