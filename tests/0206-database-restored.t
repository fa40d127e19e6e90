#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A PostgreSQL that comes back as another one under a running barod: restored from an
# older copy, a standby that lagged and was promoted, empty, read only.  No job's bytes
# come under another, health says what is wrong, and barod goes on when it is right.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-postgres.sh"
. "$(dirname "$0")/lib-batches.sh"
requires curl jq psql
pg_available || skip_all "no PostgreSQL server programs are installed"
# What a standby needs; the test's server has no other use for it.
pg_init && cat >>"$PG_DIR/data/postgresql.conf" <<EOF && pg_start || {
wal_level = replica
max_wal_senders = 4
EOF
    fail "PostgreSQL starts"
    finish
}

socket=$SCRATCH/barod.sock
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
engine = postgres
connection = host=$PG_DIR user=baro dbname=barograph
retention_rollups = 0s
[filesystem scratch]
jobid_name = %j:%u:%H
CONF
PGOPTIONS="-c client_min_messages=warning"
export PGOPTIONS
admin() {
    psql -qAtX -d postgres -v ON_ERROR_STOP=1 -c "$1"
}
sql() {
    psql -qAtX -d barograph -v ON_ERROR_STOP=1 -c "$1"
}
ask() {
    curl -s --unix-socket "$socket" "$@"
}
health() {
    ask -o "$SCRATCH/health" -w '%{http_code}' http://x/healthz
}
is_health() {
    [ "$(health)" = "$1" ]
}
# What is stored: job, server and counter of each row, by the time of the row.
rows() {
    sql "select string_agg(job_id || ' ' || server || ' ' || write_bytes_sum, ',' order by
        \"timestamp\") from jobstats"
}
end_sessions() {
    admin "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'barograph'" \
        >/dev/null
}

admin "create database barograph"
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit 'kill -9 $pid'
ok "barod starts" wait_for 30 is_health 200

# ---- restored from an older copy ----

ok "job 11 is stored" posted 1 11
ok "a copy is made" sh -c "'$PG_BIN/pg_dump' -d barograph >'$SCRATCH/dump'"
ok "job 22 is stored, which the copy has not" posted 2 22
ok "job 33, too" posted 3 33
is "all are there" "$(rows)" "11 oss-11 1,22 oss-22 2,33 oss-33 3"
admin "drop database barograph with (force)"
admin "create database barograph"
psql -qX -d barograph --single-transaction -f "$SCRATCH/dump" >"$SCRATCH/restored" 2>&1 ||
    cat "$SCRATCH/restored"
# 44 is new: it is given the sid that 22 had, which barod has in its memory.
ok "job 44 is stored in the copy" posted 4 44
ok "job 22 goes on" posted 5 22
ok "and job 33" posted 6 33
ok "what comes again of before is stored again" posted 3 33
is "no job's bytes are under another, no server's name under another" "$(rows)" \
    "11 oss-11 1,33 oss-33 3,44 oss-44 4,22 oss-22 5,33 oss-33 6"
is "memory has none of what was lost either" \
    "$(ask 'http://x/v1/jobstats/rates?last=1h&by=job&op=write_bytes' |
        jq -c '(.columns | map(.name) | index("job")) as $i | [.rows[] | .[$i]] | sort')" '["11","22","33","44"]'
ok "the log says what it is" grep -q \
    "not as barod left it: it is an older copy: 2 transactions that were acknowledged" \
    "$SCRATCH/barod.log"
is "and so does a metric" \
    "$(ask http://x/metrics | sed -n 's/^baro_records_database_changes_total //p')" 1
ok "health is good" is_health 200

# ---- an empty one ----

admin "alter database barograph rename to elsewhere" 2>/dev/null || {
    admin "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'barograph';
        " >/dev/null
    wait_for 20 admin "alter database barograph rename to elsewhere"
}
admin "create database barograph"
ok "an empty database at the address is unhealthy" wait_for 30 is_health 503
ok "with the reason" wait_for 30 eval \
    'health >/dev/null; grep -q "has no tables of barograph any more" "$SCRATCH/health"'
is "nothing is acknowledged" "$(post 7 11)" 503
is "nor made" "$(sql "select count(*) from pg_class where
    relnamespace = 'public'::regnamespace")" 0
end_sessions
drop_empty() {
    end_sessions
    admin "drop database barograph with (force); " &&
        admin "alter database elsewhere rename to barograph"
}
ok "the right one comes back" wait_for 30 drop_empty
ok "and is taken up" wait_for 30 is_health 200
ok "the batch is stored" posted 7 11
is "with everything of before" "$(rows)" \
    "11 oss-11 1,33 oss-33 3,44 oss-44 4,22 oss-22 5,33 oss-33 6,11 oss-11 7"
is "it was the one that barod knew" \
    "$(ask http://x/metrics | sed -n 's/^baro_records_database_changes_total //p')" 1

# ---- read only ----

admin "alter system set default_transaction_read_only = on"
admin "select pg_reload_conf()" >/dev/null
ok "a database that became read only is unhealthy" wait_for 30 is_health 503
is "nothing is acknowledged" "$(post 8 11)" 503
PGOPTIONS="-c default_transaction_read_only=off" admin "alter system reset default_transaction_read_only"
admin "select pg_reload_conf()" >/dev/null
ok "and well again without it" wait_for 30 is_health 200
ok "the batch is stored" posted 8 11

# ---- a standby that lagged is promoted at the address ----

ok "a base backup is made" sh -c "cd '$PG_DIR' && $([ "$(id -u)" != 0 ] || echo "setpriv --reuid=postgres --regid=postgres --clear-groups") \
    '$PG_BIN/pg_basebackup' -h '$PG_DIR' -U baro -D '$PG_DIR/standby' -X stream -c fast"
ok "job 55 is stored after it" posted 9 55
ok "and job 66" posted 10 66
pg_stop
mv "$PG_DIR/data" "$PG_DIR/lost" && mv "$PG_DIR/standby" "$PG_DIR/data"
pg_as_owner touch "$PG_DIR/data/standby.signal"
pg_start
ok "a standby is unhealthy" wait_for 30 is_health 503
ok "with the reason" wait_for 30 eval \
    'health >/dev/null; grep -q "is a standby" "$SCRATCH/health"'
is "nothing is acknowledged" "$(post 11 77)" 503
admin "select pg_promote()" >/dev/null
ok "promoted, it is taken up" wait_for 60 is_health 200
ok "job 77 is stored" posted 11 77
ok "job 55 goes on" posted 12 55
is "under its own name" "$(sql "select string_agg(job_id || ' ' || server || ' ' ||
    write_bytes_sum, ',' order by \"timestamp\") from jobstats where write_bytes_sum > 7")" \
    "11 oss-11 8,77 oss-77 11,55 oss-55 12"
ok "the log says what is lost" grep -q \
    "it is an older copy: 2 transactions that were acknowledged are not in it" "$SCRATCH/barod.log"

# ---- a quota that is used up ----

sql "create function quota() returns trigger language plpgsql as
    'begin raise ''could not extend file \"base/1/2\": Disk quota exceeded''
        using errcode = ''XX000''; end';
    create trigger quota before insert on batches execute function quota()"
is "a quota that is used up is a full disk: the batch stays with its sender" "$(post 20 66)" 503
ok "health says why" eval \
    'wait_for 30 is_health 503 && grep -q "Disk quota exceeded" "$SCRATCH/health"'
sql "drop trigger quota on batches; drop function quota"
ok "with room it is stored" posted 20 66

# ---- restored in place: no session ends ----

ok "a copy is made" sh -c "'$PG_BIN/pg_dump' -d barograph >'$SCRATCH/dump'"
ok "job 88 is stored, which the copy has not" posted 21 88
psql -qX -d barograph --single-transaction -c 'drop schema public cascade' \
    -c 'create schema public' -f "$SCRATCH/dump" >"$SCRATCH/restored" 2>&1 ||
    cat "$SCRATCH/restored"
ok "job 99 is stored in the copy" posted 22 99
ok "job 88 goes on" posted 23 88
is "no job's bytes are under another" "$(sql "select string_agg(job_id || ' ' || server || ' ' ||
    write_bytes_sum, ',' order by \"timestamp\") from jobstats where write_bytes_sum > 20")" \
    "99 oss-99 22,88 oss-88 23"
ok "the log says what is lost" grep -q \
    "it is an older copy: 1 transactions that were acknowledged are not in it" "$SCRATCH/barod.log"
kill -TERM $pid
wait $pid
is "barod ends well" $? 0
finish
