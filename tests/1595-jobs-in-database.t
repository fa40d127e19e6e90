#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Jobs and summaries told to a real barod: taken, told again, found by user, node and
# window, kept before they are acknowledged; SQLite and PostgreSQL.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-postgres.sh
. "$(dirname "$0")/lib-postgres.sh"
requires curl python3 sqlite3

socket=$SCRATCH/barod.sock
pid=
at_exit 'kill -9 $pid'
T=$(($(date +%s) - 100000))

start_barod() {
    barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    wait_for 30 curl -sf --unix-socket "$socket" http://x/healthz
}
stop_barod() {
    kill -TERM $pid
    wait $pid
}
configure() {
    printf '[net]\nsocket = %s\nlisten = 127.0.0.1:0\nkey = %s\n' "$socket" "$SCRATCH/private.pem.pub"
    printf '[records]\nengine = %s\n%s\n' "$engine" "$1"
} >"$SCRATCH/barod.conf"

# post ROUTE FILE [CURL ARGS...]: prints the answer.
post() {
    post_route=$1 post_file=$2
    shift 2
    curl -s --unix-socket "$socket" -H 'Content-Type: application/x-ndjson' \
        --data-binary "@$post_file" "$@" "http://x/v1/$post_route"
}
get() { curl -s --unix-socket "$socket" "http://x/v1/$1"; }
# ids: of lines of jobs, in their order.
ids() { python3 -c 'import json,sys
print(*[json.loads(l)["id"] for l in sys.stdin])'; }
list() { get "jobs?format=lines&$1" | ids; }
status_of() { curl -s -o "$SCRATCH/answer" -w '%{http_code}' --unix-socket "$socket" "$@"; }

cat >"$SCRATCH/jobs" <<EOF
{"cluster":"alex","id":"5_1","raw_id":"7","user":"ann","account":"phys","partition":"batch","state":"COMPLETED","submit":$((T + 10)),"start":$((T + 20)),"end":$((T + 30)),"node_count":2,"nodes":"n[1-2]","name":"arr|pipe name"}
{"cluster":"alex","id":"8","user":"bob","state":"CANCELLED by 0","submit":$((T + 10)),"start":$((T + 40)),"end":$((T + 50)),"node_count":1,"nodes":"n2"}
{"cluster":"alex","id":"9","user":"ann","state":"RUNNING","submit":$((T + 10)),"start":$((T + 60)),"node_count":1,"nodes":"n3"}
{"cluster":"fritz","id":"9","user":"ann","state":"PENDING","submit":$((T + 10))}
EOF
{
    sed -n 1p "$SCRATCH/jobs"
    echo '{"id":"10","colour":"green"}'
    echo
    echo 'nonsense'
    printf '{"id":"11","start":%d,"end":%d}\n' $((T - 90000000)) $((T - 80000000))
    printf '{"id":"12","name":"the last line has no end"}'
} >"$SCRATCH/mixed"
printf '%s\n' \
    "{\"_cluster\":\"cori\",\"_jobid\":\"1\",\"_file_system\":\"cscratch\",\"_log\":\"a.darshan\",\"darshan_app\":\"vpicio_uni\",\"darshan_nprocs\":4,\"darshan_start_time\":$((T + 20)),\"darshan_end_time\":$((T + 30)),\"darshan_walltime\":11.5,\"jobsdb_user\":\"ann\"}" \
    "{\"_jobid\":\"2\",\"_file_system\":\"project\",\"_log\":\"b, c.darshan\",\"darshan_app\":\"ior\"}" \
    >"$SCRATCH/summaries"
{
    cat "$SCRATCH/summaries"
    echo '{"_jobid":"3","_log":"d.darshan","darshan_colour":1}'
} >"$SCRATCH/bad-summaries"

told() { printf '{"accepted":%d,"changed":%d,"duplicate":%d,"refused":%d,"refusals":[]}' "$@"; }

check_jobs() {
    is "jobs are taken, in $engine" "$(post jobs "$SCRATCH/jobs")" "$(told 4 0 0 0)"
    is "told twice they say nothing new, in $engine" "$(post jobs "$SCRATCH/jobs")" "$(told 0 0 4 0)"
    kill -9 $pid
    wait $pid 2>/dev/null
    ok "after kill -9 barod starts again, in $engine" start_barod
    is "a parameter nobody knows is refused, in $engine" "$(status_of 'http://x/v1/jobs?usr=ann')" 400
    is "nor is what is asked for twice, in $engine" "$(status_of 'http://x/v1/jobs?user=ann&user=bob')" 400
    is "nor what is no text, in $engine" "$(status_of 'http://x/v1/jobs?user=%ff')" 400
    get 'jobs?format=lines' >"$SCRATCH/lines"
    sort "$SCRATCH/jobs" >"$SCRATCH/want"
    sort "$SCRATCH/lines" >"$SCRATCH/got"
    ok "lines come back as they were posted, in $engine" cmp "$SCRATCH/want" "$SCRATCH/got"
    is "in the order of their start, in $engine" "$(ids <"$SCRATCH/lines")" "9 8 5_1 9"
    is "by user, in $engine" "$(list user=ann)" "9 5_1 9"
    is "by id as the system counts, in $engine" "$(list id=7)" "5_1"
    is "by the state's first word, in $engine" "$(list state=CANCELLED)" "8"
    is "by cluster, in $engine" "$(list cluster=fritz)" "9"
    is "by node in a window, in $engine" "$(list "node=n2&from=@$T")" "8 5_1"
    is "by window, in $engine" "$(list "from=@$((T + 30))&to=@$((T + 60))")" "8"
    is "a node wants a window, in $engine" "$(status_of 'http://x/v1/jobs?node=n2')" 400
    curl -s -D "$SCRATCH/head" -o "$SCRATCH/lines" --unix-socket "$socket" 'http://x/v1/jobs?format=lines&limit=2'
    is "a limit holds, in $engine" "$(ids <"$SCRATCH/lines")" "9 8"
    ok "and says that there is more, in $engine" grep -qi '^Baro-More: yes' "$SCRATCH/head"
    get 'jobs?user=ann&limit=2' >"$SCRATCH/table"
    is "a table has them, too, and its note, in $engine" \
        "$(python3 -c 'import json,sys; t=json.load(sys.stdin); c=[x["name"] for x in t["columns"]]
print([r[c.index("job")] for r in t["rows"]], len(t["notes"]))' <"$SCRATCH/table")" "['9', '5_1'] 1"
    get 'jobs?id=7' >"$SCRATCH/table"
    is "each column has its own value, in $engine" \
        "$(python3 -c 'import json,sys; t=json.load(sys.stdin)
want=json.loads(open(sys.argv[1]).readline()); want["job"]=want.pop("id")
got=dict(zip((c["name"] for c in t["columns"]), t["rows"][0]))
print(*[k for k in want if k not in ("submit","start","end") and got[k] != want[k]],
    got["submit"] < got["start"] < got["end"], len(t["rows"]))' "$SCRATCH/jobs" <"$SCRATCH/table")" "True 1"
    is "a bad line costs that line and is named, in $engine" \
        "$(post jobs "$SCRATCH/mixed" | python3 -c 'import json,sys; a=json.load(sys.stdin)
print(a["accepted"], a["changed"], a["duplicate"], a["refused"], [r["line"] for r in a["refusals"]], a["refusals"][0]["reason"])')" \
        "1 0 1 3 [2, 4, 5] 'colour' is not a key of a job"
    sed "s/RUNNING\",/COMPLETED\",\"end\":$((T + 70)),/" "$SCRATCH/jobs" >"$SCRATCH/ended"
    is "a run that ended takes its place, in $engine" "$(post jobs "$SCRATCH/ended")" "$(told 0 1 3 0)"
    is "and does not begin again, in $engine" "$(post jobs "$SCRATCH/jobs")" "$(told 0 0 4 0)"
    is "the view has them, in $engine" "$(sql "select count(*) from jobs where \"user\" = 'ann'")" 3
}

check_summaries() {
    is "summaries are taken, in $engine" "$(post summaries "$SCRATCH/summaries")" "$(told 2 0 0 0)"
    is "a column nobody knows is refused by name, in $engine" "$(post summaries "$SCRATCH/bad-summaries")" \
        "{\"accepted\":0,\"changed\":0,\"duplicate\":2,\"refused\":1,\"refusals\":[{\"line\":3,\"reason\":\"'darshan_colour' is not a column of a summary\"}]}"
    get 'summaries?format=lines' >"$SCRATCH/got"
    ok "lines come back as they were posted, in $engine" cmp "$SCRATCH/summaries" "$SCRATCH/got"
    get 'summaries?format=csv&app=ior' >"$SCRATCH/csv"
    is "CSV has every column, in $engine" "$(python3 -c 'import csv,sys
r=list(csv.DictReader(sys.stdin)); print(len(r), len(r[0]) > 200, r[0]["_jobid"], r[0]["_log"])' <"$SCRATCH/csv")" \
        "1 True 2 b, c.darshan"
    is "and each its number, in $engine" "$(get 'summaries?format=csv&app=vpicio_uni' | python3 -c 'import csv,sys
r=list(csv.DictReader(sys.stdin))[0]
print(*[r[k] for k in ("darshan_nprocs", "darshan_walltime", "jobsdb_user")])')" "4 11.5 ann"
    for query in job=1 user=ann fs=cscratch cluster=cori "from=@$T&to=@$((T + 25))"; do
        is "found by ${query%%=*}, in $engine" \
            "$(get "summaries?$query" | python3 -c 'import json,sys; print([r[1] for r in json.load(sys.stdin)["rows"]])')" "['1']"
    done
    is "the view has them, in $engine" "$(sql 'select count(*) from job_summaries where darshan_walltime = 11.5')" 1
}

check_roles() {
    port=$(sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' "$SCRATCH/barod.log" | head -n 1)
    for role in reader scheduler agent; do
        token=$(baro token new --role $role --host oss01 --key "$SCRATCH/private.pem")
        for way in jobs summaries; do
            code=$(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" \
                -H 'Content-Type: application/x-ndjson' --data-binary "@$SCRATCH/$way" "http://127.0.0.1:$port/v1/$way")
            case $role in scheduler) want=200 ;; *) want=403 ;; esac
            is "a token of a $role posts $way: $want, in $engine" "$code" $want
        done
        code=$(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" "http://127.0.0.1:$port/v1/jobs")
        case $role in agent) want=403 ;; *) want=200 ;; esac
        is "a token of a $role reads jobs: $want, in $engine" "$code" $want
    done
    token=$(baro token new --role scheduler --key "$SCRATCH/private.pem")
    code=$(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" \
        -H 'Content-Type: application/json' -d '{}' "http://127.0.0.1:$port/v1/jobstats")
    is "a token of a scheduler sends no counters, in $engine" "$code" 403
    is "a body of another type is refused, in $engine" \
        "$(status_of -H 'Content-Type: text/html' --data-binary "@$SCRATCH/jobs" http://x/v1/jobs)" 415
}

check_away() {
    sql 'update schema_version set version = version + 96'
    is "of a newer database jobs stay with their sender, in $engine" \
        "$(status_of -H 'Content-Type: application/x-ndjson' --data-binary "@$SCRATCH/jobs" http://x/v1/jobs)" 503
    sql 'update schema_version set version = version - 96'
    is "with the version it knows it goes on, in $engine" "$(post jobs "$SCRATCH/jobs")" "$(told 0 0 4 0)"
}

check_engine() {
    configure "$1"
    ok "barod starts, with $engine" start_barod
    check_jobs
    check_summaries
    check_roles
    check_away
    curl -s --unix-socket "$socket" http://x/metrics >"$SCRATCH/metrics"
    for what in jobs_changed:1 jobs_refused:3 jobs_failed:1 summaries_accepted:2 summaries_refused:1; do
        is "${what%:*} is counted, in $engine" \
            "$(sed -n "s/^baro_ingest_${what%:*}_total //p" "$SCRATCH/metrics")" "${what#*:}"
    done
}

baro token key new "$SCRATCH/private.pem" >"$SCRATCH/out"

engine=sqlite
sql() { sqlite3 -cmd '.timeout 5000' "$SCRATCH/records.db" "$1"; }
check_engine "path = $SCRATCH/records.db"
stop_barod

if pg_available && pg_start; then
    engine=postgres
    sql() { psql -qAtX -c "$1"; }
    check_engine "connection = $PG_CONNECTION"
    pg_kill9
    is "while the database is away jobs stay with their sender" \
        "$(status_of -H 'Content-Type: application/x-ndjson' --data-binary "@$SCRATCH/jobs" http://x/v1/jobs)" 503
    is "and questions wait with their asker" "$(status_of http://x/v1/jobs)" 503
    pg_start
    is "when it is back they are there" "$(post jobs "$SCRATCH/jobs")" "$(told 0 0 4 0)"
    # Each worker finds out for itself that its connection broke.
    ok "and questions are answered again" wait_for 20 sh -c \
        "curl -sf --unix-socket '$socket' 'http://x/v1/jobs?format=lines&user=bob' | grep -q '\"id\":\"8\"'"
else
    skip "the same in postgres" "no PostgreSQL server programs are installed"
fi
finish
