#!/bin/sh
# A collector that changes how often it sends: its step is sought anew, what is lost is
# counted, and after kill -9 everything is as it was.
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
own_metrics = 0s
[metric power]
step = 60s
[metric slower]
step = 10s
[metric load]
step = found
aggregation = sum
CONF
post() {
    curl -s -o /dev/null -w '%{http_code}\n' --unix-socket "$socket" \
        http://x/api/write --data-binary @-
}
# metric, from, to (numbers of samples), step, first time: number i is sent at
# first + (i - from) * step, with the value i.
send() {
    seq "$2" "$3" | awk -v m="$1" -v from="$2" -v step="$4" -v t="$5" \
        '{ printf "%s,cluster=c,hostname=h1 value=%d %d\n", m, $1, t + ($1 - from) * step }' | post
}
step() {
    curl -s --unix-socket "$socket" "http://x/v1/series?metric=$1&format=csv" | sed '1d; s/.*,//'
}
# metric from to: times from the beginning on, and values, of the numbers there are
values() {
    curl -s --unix-socket "$socket" "http://x/v1/query?metric=$1&from=@$2&to=@$3&format=csv" |
        sed 1d | awk -F, -v t="$t" '{ print $NF }' | grep -v '^$' | tr '\n' ' '
}
counter() {
    curl -s --unix-socket "$socket" http://x/metrics | sed -n "s/^baro_store_$1 //p"
}
everything() {
    for metric in power slower load; do
        step "$metric"
        curl -s --unix-socket "$socket" \
            "http://x/v1/query?metric=$metric&from=@$t&to=@$((t + 20000))&format=csv"
    done
}

ok "barod starts" start_barod
now=$(date +%s)
t=$((now - now % 3600 - 18000))
a=$((t + 6000))
is "a hundred minutes at one a minute" "$(send power 0 99 60 "$t") $(step power)" "200 60"
is "then at one in ten seconds" "$(send power 100 399 10 "$a") $(step power)" "200 10"
is "five were lost, and are counted" "$(counter samples_overwritten_total)" 5
is "and that a step was doubted is too" "$(counter steps_doubted_total)" 1
is "what came before is as it was" "$(values power "$t" $((t + 5990)))" \
    "$(seq 0 99 | tr '\n' ' ')"
is "what came after is complete" "$(values power $((a + 100)) $((a + 3000)))" \
    "$(seq 110 399 | tr '\n' ' ')"
is "across the change each sample is answered, at its time" \
    "$(values power $((a - 120)) $((a + 600)) | wc -w)" 57
is "statistics are of what is answered" "$(curl -s --unix-socket "$socket" \
    "http://x/v1/query?metric=power&from=@$((a + 100))&to=@$((a + 3000))&statistics=only&format=csv" |
    sed 1d)" "c/h1,power,,290,254.5,110,399,73805"

is "one that sends less often loses nothing" \
    "$(send slower 0 99 10 "$t") $(send slower 100 199 60 $((t + 1000))) $(step slower)" "200 200 10"
is "all of it is there" "$(values slower "$t" $((t + 8000)))" "$(seq 0 199 | tr '\n' ' ')"

is "a step that was found is sought anew as well" \
    "$(send load 0 49 10 "$t") $(step load) $(send load 50 1049 1 $((t + 500))) $(step load)" "200 10 200 1"
is "the rest is there" "$(values load $((t + 520)) $((t + 1500)))" "$(seq 70 1049 | tr '\n' ' ')"

everything >"$SCRATCH/before"
is "two changes were seen, nine samples lost" \
    "$(counter steps_doubted_total) $(counter samples_overwritten_total)" "2 9"
kill -9 "$pid"
wait "$pid" 2>"$SCRATCH/killed"
ok "after kill -9 barod starts again" start_barod
everything >"$SCRATCH/after"
ok "and answers the same" cmp "$SCRATCH/before" "$SCRATCH/after"
kill -TERM "$pid"
wait "$pid"
ok "after SIGTERM too" start_barod
everything >"$SCRATCH/after"
ok "it answers the same" cmp "$SCRATCH/before" "$SCRATCH/after"
is "and nothing on disk is damaged" "$(grep -c 'damaged\|unreadable' "$SCRATCH/barod.log")" 0
kill -TERM "$pid"
wait "$pid"
ok "baro store verify says so too" baro store verify "$SCRATCH/store"
finish
