#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The commands of README.md for PostgreSQL, as they stand there, on a fresh cluster: barod
# starts with what they make, and the reading role reads everything and changes nothing.
# The SQL of doc/formats/records.md grants the same; its query of what jobs did reads the days of
# its range alone.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-postgres.sh"
. "$(dirname "$0")/lib-batches.sh"
requires curl psql sqlite3
pg_available || skip_all "no PostgreSQL server programs are installed"
pg_start || {
    fail "PostgreSQL starts"
    finish
}
PATH=$PG_BIN:$PATH
TOP=${TOP:-$(cd "$(dirname "$0")/.." && pwd)}
socket=$SCRATCH/barod.sock

sed -n '/^## PostgreSQL/,/^## /s/^    //p' "$TOP/README.md" >"$SCRATCH/readme.sh"
is "README has a database, two roles and their rights" \
    "$(cut -d ' ' -f 1 "$SCRATCH/readme.sh" | sort | uniq -c | tr -s ' \n' ' ')" \
    " 1 createdb 2 createuser 5 psql "
ok "the commands work as they stand there" sh -e "$SCRATCH/readme.sh"

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
barod=$!
at_exit "kill $barod 2>/dev/null"
wait_for 60 test -S "$socket"
ok "barod starts with them, and stores rows" posted 1 4711
ok "yesterday's, too" eval 'began=$((began - 86400)) posted 2 4712'

# into FILE COMMAND...: with what it prints in a file.
into() {
    into_file=$1
    shift
    "$@" >"$into_file"
}
none() {
    ! grep "$1" "$2"
}
# as ROLE SQL
as() {
    PGDATABASE=barograph PGUSER=$1 psql -XqAt -v ON_ERROR_STOP=1 -c "$2" 2>"$SCRATCH/sql.err"
}
denied() {
    ! as "$1" "$2" >/dev/null && grep -q "permission denied\|must be owner" "$SCRATCH/sql.err" || {
        cat "$SCRATCH/sql.err"
        return 1
    }
}
# reads_only ROLE
reads_only() {
    unread=$(as baro "select c.oid::regclass from pg_class c where relkind in ('r', 'p', 'v') and
        relnamespace = 'public'::regnamespace and not relispartition and relname <> 'job_files'" | while read -r table; do
        as "$1" "select count(*) from $table" >/dev/null || echo "$table"
    done)
    is "$1 reads every table and view but one" "$unread" ""
    ok "which is of users alone" denied "$1" "select uid, name from job_files"
    is "$1 sees the rows" "$(as "$1" "select count(*) from jobstats")" 2
    ok "$1 is enough for the command line" into "$SCRATCH/series" baro jobstats series --job 4711 \
        --records "host=$PG_DIR user=$1 dbname=barograph"
    ok "$1 finds the job" grep -q 4711 "$SCRATCH/series"
    for statement in "insert into servers (name) values ('x')" "update series set job_id = 'x'" \
        "delete from batches" "truncate jobstats_ost" "drop table servers" \
        "create table mine (a integer)" "create temporary table mine (a integer)" \
        "alter table series add column mine integer" "create index on series (flags)" \
        "select setval(pg_get_serial_sequence('series', 'sid'), 1)"; do
        ok "$1 may not: $statement" denied "$1" "$statement"
    done
}
reads_only grafana

# The other text, for a role of another name.
awk '/^### Who only reads/ { on = 1 } on && /^```$/ { exit } on && code { print }
    on && /^```sql/ { code = 1 }' "$TOP/doc/formats/records.md" |
    sed 's/grafana/psqluser/g' >"$SCRATCH/grants.sql"
ok "the SQL of doc/formats works, too" psql -XqAt -v ON_ERROR_STOP=1 -d barograph \
    -f "$SCRATCH/grants.sql"
reads_only psqluser
as barod "grant select on job_files to psqluser; grant select (uid, name) on job_files to grafana; grant select on job_files to public"
ok "what a site grants is granted" as psqluser "select uid, name from job_files"
kill "$barod"
wait "$barod" 2>/dev/null
rm -f "$socket"
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
barod=$!
at_exit "kill $barod 2>/dev/null"
wait_for 60 test -S "$socket"
for role in psqluser grafana; do
    ok "until barod starts: $role" wait_for 20 denied "$role" "select uid, name from job_files"
done

# ---- what jobs did in a range ----

now=$(date +%s)
from=$(date -u -d "@$began" +%Y-%m-%d)
to=$(date -u -d "@$((now + 86400))" +%Y-%m-%d)
activity=$(awk '/^-- What view job_activity/ { on = 1 } on && /^```/ { exit }
    on && !/^--/ { print }' "$TOP/doc/formats/records.md")
in_days() { # FROM TO
    printf '%s\n' "$activity" | sed "s/'2026-11-20'/$1/; s/'2026-11-21'/$2/"
}
ranged=$(in_days "'$from'" "'$to'")
is "in PostgreSQL the query finds the job of its days" "$(as grafana "$ranged" | cut -d '|' -f 2)" 4711
as grafana "explain $ranged" >"$SCRATCH/plan"
day=$(date -u -d "$from" +%Y%m%d)
before=$(date -u -d "@$((began - 86400))" +%Y%m%d)
ok "from the partition of the day" grep -q "jobstats_ost_$day" "$SCRATCH/plan"
ok "and none of the day before" none "jobstats_ost_$before" "$SCRATCH/plan"
is "with no range it is the view" "$(as grafana "$(in_days "'-infinity'" "'infinity'")" | sort)" \
    "$(as grafana "select * from job_activity" | sort)"

ok "a role that reads is enough to copy the rows to SQLite" into "$SCRATCH/copy.out" \
    baro records copy --from "host=$PG_DIR user=grafana dbname=barograph" --to "$SCRATCH/records.db"
ok "and is told what is left out" grep -q '^Left out: job_files' "$SCRATCH/copy.out"
ranged=$(in_days "unixepoch('$from') * 1000" "unixepoch('$to') * 1000")
is "SQLite's query finds the same" "$(sqlite3 "$SCRATCH/records.db" "$ranged" | cut -d '|' -f 2)" 4711
sqlite3 "$SCRATCH/records.db" "explain query plan $ranged" >"$SCRATCH/plan"
is "no day is scanned: each is searched by its time" \
    "$(grep -c "SCAN.*jobstats_ost_" "$SCRATCH/plan")" 0
ok "that of the range" grep -q "SEARCH jobstats_ost_$day.*timestamp>" "$SCRATCH/plan"

finish
