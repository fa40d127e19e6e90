# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# lib-postgres.sh - a PostgreSQL of a test's own, on a unix socket in a scratch directory.
#
#   . "$(dirname "$0")/lib-postgres.sh"      after lib.sh
#   pg_available || skip_all "no PostgreSQL server programs are installed"
#   pg_start                exports PG_CONNECTION (a libpq connection string) and
#                           BARO_TEST_POSTGRES (the same), PGHOST, PGUSER, PGDATABASE
#   pg_share                the same in a database of this test's own on the server that
#                           scripts/test runs for all, where there is one: for tests that
#                           neither stop nor configure it, nor make roles
#   pg_kill9                as a power cut for its processes; pg_start starts it again
#   pg_freeze, pg_thaw      every process stopped, as a server whose disk hangs
#   pg_stop                 shuts down; at the end of the test everything is removed
#
# initdb refuses root: as root the server runs as user postgres.

PG_BIN=${PG_BIN:-$(find /usr/lib/postgresql -path '*/bin/initdb' 2>/dev/null | sort -V | tail -n 1)}
PG_BIN=${PG_BIN%/initdb}
PG_DIR=

pg_available() {
    [ -n "$PG_BIN" ] && [ -x "$PG_BIN/initdb" ]
}

pg_as_owner() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=postgres --regid=postgres --clear-groups "$@"
    else
        "$@"
    fi
}

pg_init() {
    PG_DIR=$(mktemp -d "${TMPDIR:-/tmp}/baro-pg.XXXXXX")
    [ "$(id -u)" != 0 ] || chown postgres:postgres "$PG_DIR"
    at_exit pg_remove
    (cd "$PG_DIR" && pg_as_owner "$PG_BIN/initdb" -D "$PG_DIR/data" -U baro -A trust \
        -E UTF8 --locale=C.UTF-8 --no-sync >"$SCRATCH/initdb.out" 2>&1) || {
        cat "$SCRATCH/initdb.out"
        return 1
    }
    cat >>"$PG_DIR/data/postgresql.conf" <<EOF
listen_addresses = ''
unix_socket_directories = '$PG_DIR'
shared_buffers = ${PG_SHARED_BUFFERS:-128MB}
max_wal_size = ${PG_MAX_WAL_SIZE:-1GB}
max_connections = ${PG_CONNECTIONS:-50}
EOF
}

pg_start() {
    [ -n "$PG_DIR" ] || pg_init || return 1
    (cd "$PG_DIR" && pg_as_owner "$PG_BIN/pg_ctl" -D "$PG_DIR/data" -w -t 60 \
        -l "$PG_DIR/log" start >"$SCRATCH/pg_ctl.out" 2>&1) || {
        cat "$SCRATCH/pg_ctl.out" "$PG_DIR/log"
        return 1
    }
    PGHOST=$PG_DIR PGUSER=baro PGDATABASE=postgres
    PG_CONNECTION="host=$PG_DIR user=baro dbname=postgres"
    BARO_TEST_POSTGRES=$PG_CONNECTION
    export PGHOST PGUSER PGDATABASE PG_CONNECTION BARO_TEST_POSTGRES
}

pg_share() {
    if [ -z "${BARO_RUN_POSTGRES:-}" ] || [ ! -d "$BARO_RUN_POSTGRES" ]; then
        pg_start
        return
    fi
    PGHOST=$BARO_RUN_POSTGRES PGUSER=baro PGDATABASE=test_$$
    export PGHOST PGUSER PGDATABASE
    "$PG_BIN/createdb" "$PGDATABASE" || return 1
    at_exit '"$PG_BIN/dropdb" --force "$PGDATABASE"'
    PG_CONNECTION="host=$PGHOST user=baro dbname=$PGDATABASE"
    BARO_TEST_POSTGRES=$PG_CONNECTION
    export PG_CONNECTION BARO_TEST_POSTGRES
}

# Every process of this server and of no other: they work in its data directory.
# Zombies, which nobody has fetched, have no directory any more.
pg_pids() {
    for pg_process in /proc/[0-9]*; do
        [ "$(readlink "$pg_process/cwd" 2>/dev/null)" != "$PG_DIR/data" ] ||
            echo "${pg_process#/proc/}"
    done
}

pg_kill9() {
    while pg_killed=$(pg_pids) && [ -n "$pg_killed" ]; do
        for pg_pid in $pg_killed; do
            kill -9 "$pg_pid" 2>/dev/null || :
        done
        sleep 0.05
    done
    rm -f "$PG_DIR/data/postmaster.pid" "$PG_DIR"/.s.PGSQL.*
}

pg_freeze() {
    for pg_pid in $(pg_pids); do
        kill -STOP "$pg_pid" 2>/dev/null || :
    done
}

pg_thaw() {
    for pg_pid in $(pg_pids); do
        kill -CONT "$pg_pid" 2>/dev/null || :
    done
}

pg_stop() {
    [ -n "$PG_DIR" ] || return 0
    (cd "$PG_DIR" && pg_as_owner "$PG_BIN/pg_ctl" -D "$PG_DIR/data" -w -m fast stop) \
        >/dev/null 2>&1
}

pg_remove() {
    pg_thaw
    (cd / && pg_as_owner "$PG_BIN/pg_ctl" -D "$PG_DIR/data" -w -m immediate stop) || :
    rm -rf "$PG_DIR"
}
