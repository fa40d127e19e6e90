#!/bin/sh
# What a sender writes is its own: ids of batches belong to its host, metrics, jobs and
# summaries to its token's cluster and role; a gateway has rates for many hosts; and one
# database has one barod.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl jq

key=$SCRATCH/site.key
baro token key new "$key" >"$SCRATCH/out"
token() { # NAME OPTION...
    token_name=$1
    shift
    baro token new --key "$key" "$@" >"$SCRATCH/$token_name"
}
token oss01 --role agent --host oss01
token oss02 --role agent --host oss02
token gateway --role agent --cluster alex
token n1 --role agent --host n1 --cluster alex
token slurm --role scheduler --cluster alex
token anywhere --role scheduler
token reader --role reader
ok "a cluster limits no reader: there it would promise what is not held" \
    not baro token new --key "$key" --role reader --cluster alex
ok "an agent's token names a host or a cluster" not baro token new --key "$key" --role agent
is "baro token show names the cluster" \
    "$(baro token show - <"$SCRATCH/gateway" | jq -r '.cluster + " " + (.host | tostring)')" "alex null"

port=$(free_port)
socket=$SCRATCH/sock
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = 127.0.0.1:$port
key = $key.pub
rate_requests = 1
rate_requests_burst = 30
rate_gateway = 100
[records]
path = $SCRATCH/records.db
retention = 20000d
[store]
directory = $SCRATCH/store
[write]
metrics = open
CONF
# post TOKEN PATH TYPE: standard input; the status, the response in $SCRATCH/body.
post() {
    curl -s -o "$SCRATCH/body" -w '%{http_code}' -H "Authorization: Bearer $(cat "$SCRATCH/$1")" \
        -H "Content-Type: $3" --data-binary @- "http://127.0.0.1:$port$2"
}
batch() { # SERVER ENTRY
    cat <<JSON
{"format":"baro-jobstats-1","server":"$1","agent":"8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11",
"sequence":7,"targets":[{"target":"s-OST0001","timestamp":"2022-11-21T06:02:00Z",
"entries":[{"entry_id":"$2"}]}]}
JSON
}
ok "barod starts" start_barod

is "a host sends a batch under an id that another host's agent uses" \
    "$(batch oss01 a | post oss01 /v1/jobstats application/json)" 200
is "the other's batch of that id is taken all the same" \
    "$(batch oss02 b | post oss02 /v1/jobstats application/json)" 200
is "it was not there before" "$(jq -c '[.accepted,.replayed]' "$SCRATCH/body")" '[1,false]'
batch oss02 b | post oss02 /v1/jobstats application/json >"$SCRATCH/out"
is "sent again, it is known" "$(jq -c .replayed "$SCRATCH/body")" true
is "a gateway of metrics sends no job counters" \
    "$(batch oss01 a | post gateway /v1/jobstats application/json)" 403

t=$(date +%s)
write() { # TOKEN LINE
    echo "$2" | post "$1" /api/write text/plain
}
components() {
    curl -s --unix-socket "$socket" 'http://x/v1/series?metric=cpu' | jq -r '.rows[][0]' | sort
}
is "a gateway writes what many hosts of its cluster sent" \
    "$(write gateway "cpu,hostname=n1,cluster=alex value=1 $t
cpu,hostname=n2 value=2 $t")" 200
is "no cluster named is its own" "$(components | tr '\n' ' ')" "alex/n1 alex/n2 "
write gateway "cpu,hostname=n1,cluster=fritz value=1 $t" >"$SCRATCH/out"
ok "another cluster's lines are refused" \
    jq -e '.refused == 1 and .problems[0].reason == "the token is for another cluster"' "$SCRATCH/body"
write n1 "cpu,hostname=n1,cluster=fritz value=1 $t" >"$SCRATCH/out"
is "with a host's token as well" "$(jq -c .refused "$SCRATCH/body")" 1
write n1 "cpu,hostname=n2,cluster=alex value=1 $t" >"$SCRATCH/out"
is "and it is for that host alone" "$(jq -c .refused "$SCRATCH/body")" 1
is "nothing of another cluster is there" "$(components | tr '\n' ' ')" "alex/n1 alex/n2 "

jobs() {
    printf '{"cluster":"alex","id":"1","start":%d}\n{"cluster":"fritz","id":"2","start":%d}\n{"id":"3","start":%d}\n' \
        $((t - 100)) $((t - 100)) $((t - 100))
}
is "a scheduler's token tells of jobs" "$(jobs | post slurm /v1/jobs application/x-ndjson)" 200
is "of its cluster" "$(jq -c '[.accepted,.refused,.refusals[0].line]' "$SCRATCH/body")" '[2,1,2]'
ok "and hears why" grep -q 'the token is for the cluster alex' "$SCRATCH/body"
jobs | post anywhere /v1/jobs application/x-ndjson >"$SCRATCH/out"
is "one without a cluster tells of all" "$(jq -c .refused "$SCRATCH/body")" 0
for who in oss01 gateway reader; do
    is "$who may not tell of jobs" "$(jobs | post $who /v1/jobs application/x-ndjson)" 403
    is "$who may not send summaries" \
        "$(echo '{}' | post $who /v1/summaries application/x-ndjson)" 403
done
is "a scheduler may not write metrics" "$(write slurm "cpu,hostname=n1 value=1 $t")" 403
is "nor job counters" "$(batch oss01 c | post slurm /v1/jobstats application/json)" 403

# 30 at once, and 100 times as many where many hosts are carried.
codes() { # TOKEN
    for _ in $(seq 100); do
        write "$1" "cpu,hostname=n1 value=1 $t"
        echo
    done | sort | uniq -c | tr -s ' \n' ' '
}
is "a gateway's requests are those of many hosts" "$(codes gateway)" " 100 200 "
case $(codes n1) in
*429*) pass "a host's are one host's" ;;
*) fail "a host's are one host's" ;;
esac

barod --config "$SCRATCH/barod.conf" --set "net.socket=$SCRATCH/sock2" --set net.listen=none \
    --set "store.directory=$SCRATCH/store2" >"$SCRATCH/second.log" 2>&1
is "a second barod on one database is refused" $? 1
ok "and names the first" grep -q "records.db.lock' is held by process $pid" "$SCRATCH/second.log"
ok "--check is not: it writes nothing" barod --config "$SCRATCH/barod.conf" --check
kill -9 $pid
wait $pid 2>"$SCRATCH/out"
ok "after a kill the next has it" start_barod
finish
