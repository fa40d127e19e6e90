#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The database under a running barod is put back to an older copy again and again, between
# batches of jobs old and new: PostgreSQL dropped and filled again, PostgreSQL failed over to
# a standby that was behind when the primary died, and SQLite restored in place.  Held: every
# row that is stored is its own job's, whatever was acknowledged and not lost by a restore is
# there, and baro records verify finds nothing.
# Exit 0 held, 1 not, 77 neither PostgreSQL's server programs nor sqlite3 are there.
ROUNDS=${ROUNDS:-12}
BATCHES=20 # a round; a copy is made after half of them
ENGINES=${ENGINES:-sqlite postgres failover}
. "$(dirname "$0")/../lib.sh"
TOP=$(cd "$(dirname "$0")/../.." && pwd)
. "$TOP/tests/lib-postgres.sh"
socket=$SCRATCH/barod.sock
file=$SCRATCH/records.db

# ---- what is different ----

postgres_start() {
    pg_available || return 77
    pg_start || exit 1
    PGOPTIONS="-c client_min_messages=warning"
    export PGOPTIONS
    place="host=$PG_DIR user=baro dbname=barograph"
    keys="engine = postgres
connection = $place"
    postgres_admin "create database barograph"
}
postgres_admin() { psql -qAtX -d postgres -v ON_ERROR_STOP=1 -c "$1"; }
postgres_sql() { psql -qAtX -d barograph -v ON_ERROR_STOP=1 -c "$1"; }
postgres_copy() { "$PG_BIN/pg_dump" -d barograph >"$SCRATCH/dump"; }
postgres_restore() {
    postgres_admin "drop database barograph with (force)" &&
        postgres_admin "create database barograph" &&
        psql -qX -d barograph --single-transaction -f "$SCRATCH/dump" >"$SCRATCH/restored"
}

# Two servers, a and b: one is the primary, the other becomes its standby at each copy.
sides=$SCRATCH/sides
failover_ctl() { # SIDE COMMAND ...
    ctl_side=$1
    shift
    (cd / && pg_as_owner "$PG_BIN/pg_ctl" -D "$sides/$ctl_side/data" -w -t 60 "$@") \
        >"$SCRATCH/pg_ctl.out" 2>&1 || {
        cat "$SCRATCH/pg_ctl.out"
        return 1
    }
}
failover_up() { # SIDE
    failover_ctl "$1" -l "$sides/$1/log" \
        -o "-c listen_addresses= -c unix_socket_directories=$sides/$1" start
}
failover_down() {
    for side in a b; do
        failover_ctl $side -m immediate stop >/dev/null
    done
}
on_side() { psql -qAtX -h "$sides/$1" -U baro -d "$2" -v ON_ERROR_STOP=1 -c "$3"; }
failover_start() {
    pg_available || return 77
    unset PGHOST PGUSER PGDATABASE
    mkdir -p "$sides/a" "$sides/b" && chmod 711 "$SCRATCH" "$sides" || exit 1
    [ "$(id -u)" != 0 ] || chown -R postgres:postgres "$sides"
    (cd / && pg_as_owner "$PG_BIN/initdb" -D "$sides/a/data" -U baro -A trust -E UTF8 \
        --locale=C.UTF-8 --no-sync) >"$SCRATCH/initdb.out" 2>&1 || exit 1
    at_exit failover_down
    primary=a standby=b
    failover_up a && on_side a postgres "create database barograph" || exit 1
    place="host=$sides/a,$sides/b user=baro dbname=barograph target_session_attrs=read-write"
    keys="engine = postgres
connection = $place"
}
failover_sql() { on_side "$primary" barograph "$1"; }
has_all() {
    [ "$(on_side "$standby" postgres "select pg_last_wal_replay_lsn() >= '$written'")" = t ]
}
has_no_primary() {
    [ "$(on_side "$standby" postgres "select count(*) from pg_stat_wal_receiver")" = 0 ]
}
# A standby that has all of this moment, and nothing of what comes after.
failover_copy() {
    rm -rf "$sides/$standby/data"
    (cd / && pg_as_owner "$PG_BIN/pg_basebackup" -h "$sides/$primary" -U baro \
        -D "$sides/$standby/data" -R -c fast -X stream --no-sync) || return 1
    failover_up "$standby" || return 1
    written=$(on_side "$primary" postgres "select pg_current_wal_lsn()")
    wait_for 30 has_all || return 1
    on_side "$standby" postgres "alter system set primary_conninfo = ''" &&
        on_side "$standby" postgres "select pg_reload_conf()" >"$SCRATCH/reloaded" &&
        wait_for 30 has_no_primary
}
failover_restore() {
    failover_ctl "$primary" -m immediate stop && failover_ctl "$standby" promote || return 1
    side=$primary primary=$standby standby=$side
}

sqlite_start() {
    command -v sqlite3 >/dev/null || return 77
    place=$file
    keys="path = $file"
}
sqlite_sql() { sqlite3 -batch "$file" ".timeout 20000" "$1"; }
sqlite_copy() {
    rm -f "$SCRATCH/copy.db"
    sqlite_sql "vacuum into '$SCRATCH/copy.db'"
}
sqlite_restore() { sqlite3 -batch "$file" ".timeout 20000" ".restore '$SCRATCH/copy.db'"; }

# ---- what is the same ----

# What lib-batches counts from.
export began=$(($(date +%s) - 7200))
. "$TOP/tests/lib-batches.sh"
# The samples of a job's row say whose it was, its counter which batch.
is_submitted() { is_posted "$1" "$2" "$2"; }

play() { # ENGINE
    rm -f "$socket"
    cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
$keys
[filesystem scratch]
jobid_name = %j:%u:%H
CONF
    barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    at_exit "kill -9 $pid"
    wait_for 30 is_submitted 0 9 || return 1
    sequence=0 lost=0
    : >"$SCRATCH/kept"
    for round in $(seq "$ROUNDS"); do
        : >"$SCRATCH/since"
        for i in $(seq $BATCHES); do
            sequence=$((sequence + 1))
            # Half of the jobs come again, half are new.
            job=$((i % 2 ? sequence + 1000 : (round * 7 + i) % 13 + 1))
            wait_for 60 is_submitted $sequence $job || {
                echo "$1, round $round: batch $sequence was not stored"
                cat "$SCRATCH/answer"
                return 1
            }
            echo $sequence >>"$SCRATCH/since"
            if [ "$i" = $((BATCHES / 2)) ]; then
                "$1_copy" || return 1
                cat "$SCRATCH/since" >>"$SCRATCH/kept"
                : >"$SCRATCH/since"
            fi
        done
        lost=$((lost + $(wc -l <"$SCRATCH/since")))
        "$1_restore" || return 1
    done
    sequence=$((sequence + 1))
    wait_for 60 is_submitted $sequence 5 || return 1
    echo $sequence >>"$SCRATCH/kept"
    judge "$1"
}

judge() { # ENGINE
    judged=0
    wrong=$("$1_sql" "select count(*) from jobstats where job_id <> cast(write_bytes as text) or
        server <> 'oss-' || job_id")
    [ "$wrong" = 0 ] || judged=1
    "$1_sql" "select write_bytes_sum from jobstats where write_bytes_sum > 0 order by 1" \
        >"$SCRATCH/there"
    sort -n "$SCRATCH/kept" | cmp -s - "$SCRATCH/there" || judged=1
    baro records verify "$place" || judged=1
    changes=$(curl -s --unix-socket "$socket" http://x/metrics |
        sed -n 's/^baro_records_database_changes_total //p')
    [ "$changes" = "$ROUNDS" ] || judged=1
    kill -TERM $pid
    wait $pid || judged=1
    echo "figure: $1: older copies in its place $ROUNDS, noticed $changes"
    echo "figure: $1: batches acknowledged $sequence, taken back by them $lost"
    echo "figure: $1: rows under another job or server $wrong"
    return $judged
}

bad=77
for engine in $ENGINES; do
    "${engine}_start"
    status=$?
    if [ $status = 77 ]; then
        echo "the programs of $engine are not installed"
        continue
    fi
    [ $bad != 77 ] || bad=0
    [ $status = 0 ] && play "$engine" || bad=1
done
exit $bad
