# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# lib-roles.sh - a barod with tokens of every role, and jobs of several users.
#
#   . "$(dirname "$0")/lib-roles.sh"     after lib.sh and lib-barod.sh
#   token NAME OPTION...      a token of baro token new in $SCRATCH/NAME
#   roles_start [LINE...]     makes a token of each role, under its name (user: alice,
#                             manager: carol of phys and chem), and starts a barod with these
#                             further lines of configuration
#   roles_session             lines for it: a session of barod alone, for its routes
#   roles_fill                submits jobs, summaries, rows and samples
#   roles_table               the rows of tests/roles/table
#   status TOKEN PATH [CURL OPTION...]   the status; the response is in $SCRATCH/body
#   get TOKEN PATH            the response
#
# Job 5 was bob's, then alice's; 7 is alice's on alex and bob's on fritz at the same time; 9
# is alice's and goes on; of 99 there are rows and no record.  $T is two hours ago; jobs
# without other times ran from $T + 60 to $T + 600 and later.

key=$SCRATCH/site.key
socket=$SCRATCH/sock
now=$(date +%s)
T=$((now - now % 60 - 7200))

roles_table() {
    grep -v '^#' "$TOP/tests/roles/table"
}

token() {
    token_name=$1
    shift
    baro token new --key "$key" "$@" >"$SCRATCH/$token_name"
}

roles_session() {
    printf '[session]\nsize = 1\nrank = 0\naddress = unix:%s/session.%%r\nstate = %s/session.state\n' \
        "$SCRATCH" "$SCRATCH"
}

roles_start() {
    baro token key new "$key" >"$SCRATCH/out"
    for roles_name in reader scheduler support api admin; do
        token $roles_name --role $roles_name
    done
    token agent --role agent --host oss01
    token gateway --role agent --cluster alex
    token user --role user --user alice
    token manager --role manager --user carol --account phys --account chem
    port=$(free_port)
    url=http://127.0.0.1:$port
    cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = 127.0.0.1:$port
key = $key.pub
rate_requests = 0
rate_failures = 0
[records]
path = $SCRATCH/records.db
retention = 20000d
[store]
directory = $SCRATCH/store
[metric load]
step = 1m
CONF
    printf '%s\n' "$@" >>"$SCRATCH/barod.conf"
    ok "barod starts" start_barod
}

status() {
    status_token=$1 status_path=$2
    shift 2
    curl -s -o "$SCRATCH/body" -w '%{http_code}' -H "Authorization: Bearer $(cat "$SCRATCH/$status_token")" \
        "$@" "$url$status_path"
}

get() {
    status "$1" "$2" >"$SCRATCH/status"
    cat "$SCRATCH/body"
}

roles_job() { # CLUSTER ID USER ACCOUNT START END|- NODE
    printf '{"cluster":"%s","id":"%s","user":"%s","account":"%s","start":%d,' "$1" "$2" "$3" "$4" "$5"
    [ "$6" = - ] || printf '"end":%d,' "$6"
    printf '"uid":%d,"node_count":1,"nodes":"%s","state":"RUNNING","cpus":1,"cpu_time_ms":1}\n' \
        "$(printf %s "$3" | wc -c)" "$7"
}

roles_jobs() {
    roles_job alex 5 bob chem $((T - 3600)) $((T - 1800)) n1
    roles_job alex 5 alice bio $((T + 60)) $((T + 600)) n2
    roles_job alex 6 bob phys $((T + 60)) $((T + 660)) n3
    roles_job alex 7 alice bio $((T + 60)) $((T + 600)) n4
    roles_job fritz 7 bob bio $((T + 60)) $((T + 600)) n5
    roles_job fritz 8 alice bio $((T + 60)) $((T + 600)) n6
    roles_job alex 9 alice bio $((T + 60)) - n7
    roles_job alex 10 eve bio $((T + 60)) $((T + 720)) n8
}

roles_summary() { # CLUSTER JOB LOG START
    printf '{"_cluster":"%s","_jobid":"%s","_log":"%s","darshan_start_time":%d,' "$1" "$2" "$3" "$4"
    printf '"darshan_end_time":%d,"darshan_walltime":100,"jobsdb_user":"alice"}\n' $(($4 + 100))
}

roles_summaries() {
    roles_summary alex 5 bob.darshan $((T - 3500))
    roles_summary alex 5 alice.darshan $((T + 65))
    roles_summary alex 6 bob6.darshan $((T + 65))
    roles_summary fritz 7 bob7.darshan $((T + 65))
    roles_summary alex 99 norecord.darshan $((T + 65))
}

# A round of readings at $T + SECONDS: each entry grows by BYTES a round.
roles_round() { # SECONDS SEQUENCE NUMBER-OF-ROUND ID:UID:NODE=BYTES...
    round_at=$((T + $1)) round_sequence=$2 round_number=$3
    shift 3
    round_since=null round_reset=true
    [ "$round_number" = 1 ] || round_reset=false
    round_since="\"$(date -u -d "@$((round_at - 60))" +%FT%T.000Z)\""
    round_previous=$round_since
    [ "$round_number" = 1 ] && round_previous=null
    for round_entry; do
        printf '{"entry_id":"%s","exact":true,"since":%s,"previous":%s,"reset":%s,"snapshot_time":%d,"start_time":%d,' \
            "${round_entry%=*}" "$round_since" "$round_previous" $round_reset $round_at $((round_at - 60 * round_number))
        printf '"ops":{"write_bytes":{"samples":%d,"unit":"bytes","sum":%d}}}\n' \
            "$round_number" $((round_number * ${round_entry#*=}))
    done | jq -cs --arg at "$(date -u -d "@$round_at" +%FT%T.000Z)" --argjson n "$round_sequence" '
        {format: "baro-jobstats-1", agent: "8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11", sequence: $n, server: "oss01",
         targets: [{target: "scratch-OST0001", kind: "ost", timestamp: $at, entries: .}]}'
}

roles_post() { # TOKEN PATH TYPE FILE
    roles_status=$(status "$1" "$2" -H "Content-Type: $3" --data-binary "@$4")
    [ "$roles_status" = 200 ] && jq -e '.refused == 0' "$SCRATCH/body"
}

roles_fill() {
    roles_jobs >"$SCRATCH/jobs"
    ok "jobs are submitted" roles_post api /v1/jobs application/x-ndjson "$SCRATCH/jobs"
    roles_summaries >"$SCRATCH/summaries"
    ok "so are summaries" roles_post scheduler /v1/summaries application/x-ndjson "$SCRATCH/summaries"
    fill_sequence=0
    fill_failed=0
    for fill_round in 1 2 3 4 5; do
        fill_sequence=$((fill_sequence + 1))
        roles_round $((-3600 + 60 * fill_round)) $fill_sequence $fill_round 5:3:n1=777000 >"$SCRATCH/batch"
        roles_post agent /v1/jobstats application/json "$SCRATCH/batch" >"$SCRATCH/out" || fill_failed=1
    done
    for fill_round in 1 2 3 4 5 6 7 8; do
        fill_sequence=$((fill_sequence + 1))
        roles_round $((60 + 60 * fill_round)) $fill_sequence $fill_round 5:5:n2=1000 6:3:n3=20000 7:5:n4=300 \
            7:3:n5=400 8:5:n6=50 9:5:n7=600 10:3:n8=7000 99:3:n9=80 >"$SCRATCH/batch"
        roles_post agent /v1/jobstats application/json "$SCRATCH/batch" >"$SCRATCH/out" || fill_failed=1
    done
    is "rows are stored" $fill_failed 0
    awk -v t="$T" 'BEGIN { for (s = 60; s < 600; s += 60) for (n = 1; n < 9; n++)
        printf "load,cluster=%s,hostname=n%d,type=node value=%d %d\n", n == 5 || n == 6 ? "fritz" : "alex", n, n, t + s }' \
        >"$SCRATCH/lines"
    is "samples, too" "$(status admin /api/write --data-binary "@$SCRATCH/lines")" 200
}
