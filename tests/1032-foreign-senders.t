#!/bin/sh
# Requests as Telegraf and cc-metric-collector make them, head and body (tests/requests).
. "$(dirname "$0")/lib.sh"
requires curl python3

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
CONF
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit 'kill -9 $pid'
ok "barod starts" wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
t=$(($(date +%s) - 60))
send() {
    python3 "$TOP/tests/sim/foreign.py" "$socket" "$1" $t <"$TOP/tests/requests/$2.lines" | tr '\n' ' '
}
counter() {
    curl -s --unix-socket "$socket" http://x/metrics | sed -n "s/^baro_ingest_metric_$1 //p"
}
# component value, of all series of a metric
values() {
    curl -s -G --unix-socket "$socket" http://x/v1/query --data-urlencode "metric=$1" -d from=-1h -d to=now \
        -d format=csv -d step=1s --data-urlencode "component=$2" |
        python3 -c 'import csv, sys
print("\n".join(sorted(f"{r[0]} {r[-1]}" for r in list(csv.reader(sys.stdin))[1:] if r[-1])))'
}
counts() {
    echo "$(counter lines_total) lines, $(counter samples_total) samples, $(counter lines_bad_total) bad, $(counter strings_total) texts"
}

is "Telegraf makes its database and writes" "$(send telegraf1 telegraf)" "200 204 "
is "all of it is understood" "$(counts)" "11 lines, 33 samples, 0 bad, 2 texts"
is "in the dialect of InfluxDB 2 too" "$(send telegraf2 telegraf)" "204 "
is "with the same result" "$(counts)" "22 lines, 66 samples, 0 bad, 4 texts"
is "the bucket is its cluster" "$(values system_load1 'hpc/*')" "hpc/n1 0.21"
is "doubles are what was sent" "$(values cpu_usage_user 'telegraf/n1/cpu:cpu-total')" \
    "telegraf/n1/cpu:cpu-total 1.4210854715202004e-14"
is "as are large integers" "$(values net_bytes_recv 'hpc/*/*')" "hpc/n1/interface:ib0 9.223372036854775e+18"
is "and names with blanks and commas" "$(values 'my script' 'hpc/*/*')" \
    'hpc/n1/tags:room=A\x5C,1,unit=kW\x2Fh\x5C=1 12.5'
is "cc-metric-collector writes" "$(send collector collector)" "200 "
is "and is understood" "$(counts)" "33 lines, 77 samples, 0 bad, 4 texts"
is "of the cluster in its address" "$(values flops_any 'emmy/*/*')" "emmy/e0101/hwthread:0 2534.5
emmy/e0101/hwthread:1 465.5"
is "a part of a node without a number of its own" "$(values net_bytes_in_bw 'emmy/*/*')" \
    "emmy/e0101/network:enp5s0 123456.789"
is "tags of no meaning are passed over, and counted" "$(counter unknown_tags_total)" 2
kill -TERM $pid
wait $pid
is "SIGTERM ends barod well" $? 0
finish
