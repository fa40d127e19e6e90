#!/bin/sh
# Metrics that nobody declared: their step is found, or they keep their times; questions.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl jq

socket=$SCRATCH/barod.sock
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
[write]
metrics = open
[metric declared]
step = found
CONF
send() {
    curl -s -o /dev/null -w '%{http_code}' --unix-socket "$socket" "http://x$1" --data-binary @-
}
steps() {
    curl -s --unix-socket "$socket" "http://x/v1/series?metric=$1&format=csv&component=*/*" |
        sed '1d; s/.*,//' | tr '\n' ' '
}
v1() {
    curl -s --unix-socket "$socket" "http://x/v1/query?from=@$t&to=@$((t + 600))&$1"
}

ok "barod starts" start_barod
now=$(date +%s)
t=$((now - now % 600 - 1200))
grid() { # metric from to
    for i in $(seq "$2" "$3"); do
        echo "$1,cluster=c,hostname=h1 value=$i $((t + 10 * i))"
    done
}
odd() {
    for i in 1 2 3 5 8 13 21 34 55 89; do
        echo "odd,cluster=c,hostname=h1 value=$i $((t + i * 6 + i * i % 7))"
    done
}
is "seven samples" "$( (grid load 0 6; grid declared 0 6) | send /api/write)" 200
is "have no step yet" "$(steps load)" " "
is "and answer at their times" \
    "$(v1 'metric=load&format=csv' | sed 1d | wc -l) $(v1 metric=load | jq -c '.results[0]|[.step,.times[0],.values[6]]')" \
    "7 [null,\"$(date -u -d "@$t" +%Y-%m-%dT%H:%M:%SZ)\",6]"
is "the eighth tells it" "$(grid load 7 7 | send /api/write; steps load)" "200""10 "
is "the samples stay" "$(v1 metric=load | jq -c '.results[0]|[.step,.values]')" "[10,[0,1,2,3,4,5,6,7]]"
# The years before the first sample are no points.
always() { # metric and step, aggregation
    curl -s --unix-socket "$socket" "http://x/v1/query?from=@0&to=@$((t + 600))&$1" |
        jq -c '.results[0]|[.from,.step,.values]'
}
from_then() {
    v1 "$1" | jq -c '.results[0]|[.from,.step,.values]'
}
for query in 'metric=load&step=20s' 'metric=load&aggregate=sum&component=*/*' \
    'metric=load&aggregate=sum&component=*/*&step=20s'; do
    is "from the beginning of time as from the first sample: $query" \
        "$(always "$query")" "$(from_then "$query")"
done
kill -9 $pid
wait $pid 2>/dev/null
ok "after kill -9 barod starts again" start_barod
is "the log says the same" "$(steps load)$(v1 metric=load | jq -c '.results[0].values')" "10 [0,1,2,3,4,5,6,7]"
is "one that was still sought is still sought" "$(steps declared)" " "
is "a declared one is found as well" "$(grid declared 7 7 | send /api/write; steps declared)" "200""10 "
kill -TERM $pid
wait $pid
ok "after SIGTERM barod starts again" start_barod
is "the checkpoint says the same" "$(steps load)$(v1 metric=load | jq -c '.results[0].values')" "10 [0,1,2,3,4,5,6,7]"

is "what has no step is kept" "$(odd | send /api/write)" 200
is "at its own times" "$(steps odd)$(v1 'metric=odd&format=csv' | sed 1d | wc -l)" " 10"
is "its statistics are those of its samples" \
    "$(v1 'metric=odd&statistics=only&format=csv' | sed 1d)" "c/h1,odd,,10,23.1,1,89,231"
is "with a step it is averaged" \
    "$(v1 'metric=odd&step=60s' | jq -c '.results[0]|[.step,.values]')" \
    "[60,[3.8,13,21,34,null,55,null,null,89]]"
is "the same as a table for people" "$(BARO_SERVER=unix:$socket baro metric query odd c/h1 \
    --from "@$t" --to "@$((t + 600))" --step 60s -o csv | tail -n 1 | sed 's/.*,//')" 89
is "a step that is none of its own is the next that is one" \
    "$(v1 'metric=load&step=25s' | jq -c '.results[0]|[.step,.values]')" "[30,[1,4,6.5]]"
for h in h1 h2; do
    echo "odd,cluster=c,hostname=$h value=1 $((t + 500))"
done | send /api/write >"$SCRATCH/sent"
is "all together want one" "$(v1 'metric=odd&aggregate=sum&component=*/*&format=csv' | tail -n 1)" \
    "# */* odd: the metric has no step of its own: request one"
is "a table says so in a note" \
    "$(v1 'metric=odd&aggregate=sum&component=*/*&format=table' | jq -c '[.rows,.notes]')" \
    '[[],["*/* odd: the metric has no step of its own: request one"]]'
is "and are summed with one" \
    "$(v1 'metric=odd&aggregate=sum&component=*/*&step=60s' | jq -c '.results[0].values')" \
    "[3.8,13,21,34,null,55,null,null,46]"
kill -TERM $pid
wait $pid
ok "SIGTERM ends it" test $? = 0
finish
