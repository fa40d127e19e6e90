#!/bin/sh
# Counters of the metric store: people get rates per second, programs get what was sent;
# resets and holes; units; a step that cannot be had is reported.
. "$(dirname "$0")/lib.sh"
requires curl python3
PATH=$BUILD/tests/fill:$PATH

socket=$SCRATCH/barod.sock
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = 127.0.0.1:$(free_port)
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
own_metrics = 0s
[metric rx]
step = 60s
kind = counter
aggregation = sum
unit = B
[metric ops]
step = 60s
kind = counter
aggregation = sum
[metric busy]
step = 60s
aggregation = avg
unit = %
CONF
mkdir "$SCRATCH/store"
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
at_exit "kill -9 $!"
ok "barod starts" wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
BARO_SERVER=unix:$socket
export BARO_SERVER
n=$(($(date +%s) / 60 * 60 - 3000))
{
    i=0 # 600 a minute, a hole at 4, a reset at 6
    for value in 0 600 1200 1800 - 3000 60 660; do
        t=$((n + i * 60))
        [ "$value" = - ] || echo "rx,cluster=c,hostname=h1,type=node value=$value ${t}000000000"
        echo "rx,cluster=c,hostname=h2,type=node value=$((i * 60)) ${t}000000000"
        echo "ops,cluster=c,hostname=h1,type=node value=$((i * 120)) ${t}000000000"
        echo "busy,cluster=c,hostname=h1,type=node value=50 ${t}000000000"
        i=$((i + 1))
    done
} >"$SCRATCH/lines"
is "samples are accepted" "$(curl -s -o "$SCRATCH/out" -w '%{http_code}' --unix-socket "$socket" \
    --data-binary "@$SCRATCH/lines" http://x/api/write)" 200

range="--from @$n --to @$((n + 480))"
values() { # further arguments: the values
    # shellcheck disable=SC2086
    baro metric query "$@" $range -o csv | tail -n +2 | cut -d, -f4 | paste -sd' '
}
is "a counter is a rate, from the second sample on, none at the reset" "$(values rx c/h1)" \
    "10 10 10 10 10"
is "raw: as it was sent" "$(values rx c/h1 --counters raw)" "0 600 1200 1800 3000 60 660"
is "a range that begins later has its first rate too" \
    "$(baro metric query rx c/h1 --from "@$((n + 60))" --to "@$((n + 120))" -o csv | tail -1 |
        cut -d, -f4)" 10
is "hosts together: who has a rate" "$(values rx 'c/*' -a sum)" "11 11 11 1 11 1 11"
is "by a longer step the mean over the time that is known" \
    "$(values ops c/h1 --step 2m | tr ' ' '\n' | sort -u)" 2
is "a gauge is none" "$(values busy c/h1 | tr ' ' '\n' | sort -u)" 50
# shellcheck disable=SC2086
{
    is "statistics: the unit per second, and no sum of rates" \
        "$(baro metric query rx c/h1 $range --statistics -o csv | tail -1)" \
        "c/h1,rx,B/s,5,10,10,10,"
    is "without a unit it is 1/s" \
        "$(baro metric query ops c/h1 $range --statistics -o csv | tail -1 | cut -d, -f3)" 1/s
    is "percentages have no sum either" \
        "$(baro metric query busy c/h1 $range --statistics -o csv | tail -1)" \
        'c/h1,busy,%,8,50,50,50,'
    is "raw has one" "$(baro metric query rx c/h2 $range --counters raw --statistics -o csv |
        tail -1)" "c/h2,rx,B,8,210,0,420,1680"
    is "top ranks rates" "$(baro metric top rx $range -o csv | tail -n +2 | cut -d, -f1,5 |
        paste -sd' ')" "c/h1,10 c/h2,1"
    ok "the table names the unit" sh -c \
        "baro metric query rx c/h1 $range | head -1 | grep -q 'value \[B/s\]'"
    ok "and so does the picture" sh -c "baro metric plot rx $range | head -1 | grep -q 'rx, in B/s'"
    baro metric query ops c/h1 $range --step 90s -o csv >"$SCRATCH/out" 2>"$SCRATCH/err"
    is "another step than the requested one is reported" "$(cat "$SCRATCH/err")" \
        "# ops: points are 2 min apart, not 90 s as requested: a multiple of the step of the samples"
    baro metric query ops c/h1 $range --step 2m -o csv >"$SCRATCH/out" 2>"$SCRATCH/err"
    is "the requested one is not" "$(cat "$SCRATCH/err")" ""
}
is "an option's value that is none is misuse" "$(baro metric query rx --counters rates 2>&1
    echo $?)" "baro metric query: --counters: invalid value 'rates' (choose raw|rate)
2"
is "REST: raw unless it is asked" "$(curl -sg --unix-socket "$socket" \
    "http://x/v1/query?metric=rx&component=c/h1&from=@$n&to=@$((n + 120))&format=csv" |
    tail -1 | cut -d, -f4)" 600
curl -sg --unix-socket "$socket" "http://x/v1/query?metric=rx&component=c/h1&from=@$n&to=@$((
    n + 480))&counters=rate&statistics=yes&step=90s" >"$SCRATCH/json"
ok "REST: rates with unit, resets, nulls, the note of the step" python3 - "$SCRATCH/json" <<'PYTHON'
import json, sys
got = json.load(open(sys.argv[1]))
one = got["results"][0]
assert one["unit"] == "B/s" and one["resets"] == 1 and one["sum"] is None, one
assert one["step"] == 120 and got["notes"] == [
    "rx: points are 2 min apart, not 90 s as requested: a multiple of the step of the samples"], got
PYTHON
curl -sg --unix-socket "$socket" "http://x/v1/query?metric=rx&component=c/*&from=@$n&top=2" \
    >"$SCRATCH/json"
ok "REST: a top has the step of the samples" python3 - "$SCRATCH/json" <<'PYTHON'
import json, sys
got = json.load(open(sys.argv[1]))["results"]
assert [r["step"] for r in got] == [60, 60], got
PYTHON
finish
