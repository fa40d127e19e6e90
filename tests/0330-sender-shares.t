#!/bin/sh
# One sender's token cannot use up the series and metrics of all: it is refused and hears
# of it, while what other senders send is taken and can be read.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl jq

key=$SCRATCH/site.key
baro token key new "$key" >"$SCRATCH/out"
for host in a1 b1; do
    baro token new --role agent --host $host --key "$key" >"$SCRATCH/$host"
done
baro token new --role reader --key "$key" >"$SCRATCH/gateway"
port=$(free_port)
# A store that one request could fill.
socket=$SCRATCH/sock
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = 127.0.0.1:$port
key = $key.pub
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
series_max = 1000
own_metrics = 0s
[write]
cluster = c
metrics = open
readers_may_write = yes
host_series_max = 100
host_metrics_max = 50
series_share = 25
exporter_share = 5
metrics_first = 0
metrics_per_hour = 120
deny = secret_*
[metric cpu]
step = 60s
CONF
# send SENDER PATH FILE: the status; headers and body in $SCRATCH.
send() {
    curl -s -o "$SCRATCH/body" -D "$SCRATCH/head" -w '%{http_code}' \
        -H "Authorization: Bearer $(cat "$SCRATCH/$1")" --data-binary "@$3" \
        "http://127.0.0.1:$port$2"
}
lines() { # HOST COUNT PREFIX: so many series of one metric
    seq "$2" | sed "s/.*/cpu,hostname=$1,type=$3,type-id=& value=1 $t/"
}
names() { # HOST COUNT PREFIX: so many metrics
    seq "$2" | sed "s/.*/$3_&,hostname=$1 value=1 $t/"
}
last() {
    curl -s --unix-socket "$socket" -X GET http://x/api/query \
        -d '{"cluster":"c","from":'$t',"to":'$((t + 60))',"queries":[{"metric":"cpu","host":"'$1'"}]}' |
        jq -c '.results[0][0].data[0]'
}
counter() {
    curl -s --unix-socket "$socket" http://x/metrics | sed -n "s/^baro_$1 //p"
}
now=$(date +%s)
t=$((now - now % 60 - 600))

ok "barod starts" start_barod
lines a1 2000 thing >"$SCRATCH/flood"
is "a token of one host that floods /api/write is refused" "$(send a1 /api/write "$SCRATCH/flood")" 400
is "it hears how much was written" "$(jq -c '[.samples_written,.samples_refused]' "$SCRATCH/body")" \
    '[100,{"share":1900}]'
ok "and which key is its limit" grep -q host_series_max "$SCRATCH/body"
lines b1 20 thing >"$SCRATCH/few"
echo "cpu,hostname=b1 value=42 $t" >>"$SCRATCH/few"
is "another host's series are taken" "$(send b1 /api/write "$SCRATCH/few")" 200
is "and can be read" "$(last b1)" 42
head -n 50 "$SCRATCH/flood" >"$SCRATCH/known"
is "the flooder's own series go on" "$(send a1 /api/write "$SCRATCH/known")" 200

sed 's/hostname=/host=/' "$SCRATCH/flood" >"$SCRATCH/flood.influx"
for path in /write /api/v2/write; do
    is "a partial write at $path is 400" "$(send a1 $path "$SCRATCH/flood.influx")" 400
    ok "in the words of InfluxDB" grep -q '"partial write' "$SCRATCH/body"
done

names a1 100 name >"$SCRATCH/many"
is "names of metrics have a share as well" "$(send a1 /api/write "$SCRATCH/many")" 400
names b1 10 other >"$SCRATCH/few"
is "other senders' new metrics are taken" "$(send b1 /api/write "$SCRATCH/few")" 200

names g1 150 gate >"$SCRATCH/many"
is "too many new metrics in an hour are to be sent again later" \
    "$(send gateway /api/write "$SCRATCH/many")" 503
ok "and when is said" grep -qi '^retry-after: [1-9]' "$SCRATCH/head"
is "what was new before that limit is stored" "$(jq -c .samples_written "$SCRATCH/body")" 120

echo "secret_x,hostname=b1 value=1 $t" >"$SCRATCH/denied"
is "a name that the administrator denies is refused" "$(send b1 /api/write "$SCRATCH/denied")" 400
is "by that name" "$(jq -c .samples_refused "$SCRATCH/body")" '{"name":1}'

lines g2 2000 thing >"$SCRATCH/flood2"
is "a sender without a host has a share of the whole" "$(send gateway /api/write "$SCRATCH/flood2")" 400
lines b1 30 late >"$SCRATCH/few"
is "what is left is others'" "$(send b1 /api/write "$SCRATCH/few")" 200

ok "refusals are counted by reason" test "$(counter ingest_metric_samples_refused_share_total)" -gt 1900
ok "and logged with the sender" grep -q 'host a1' "$SCRATCH/barod.log"
baro store status --server "unix:$socket" --senders --output json >"$SCRATCH/senders"
is "the administrator sees who created what" \
    "$(jq -c '.[] | select(.sender == "host a1") | [.series,.series_max,.metrics]' "$SCRATCH/senders")" \
    "[100,100,0]"
is "which is for administrators only" \
    "$(curl -s -o "$SCRATCH/out" -w '%{http_code}' -H "Authorization: Bearer $(cat "$SCRATCH/b1")" \
        "http://127.0.0.1:$port/v1/store/senders")" 403

kill -TERM $pid
wait $pid
ok "barod starts again" start_barod
lines a1 10 more >"$SCRATCH/few"
is "a restart gives the flooder no second share" "$(send a1 /api/write "$SCRATCH/few")" 400
# The administrator's own writes are counted, not refused.
seq 300 | sed "s/.*/cpu,hostname=z1,type=x,type-id=& value=1 $t/" >"$SCRATCH/own"
is "an administrator has no share" \
    "$(curl -s -o "$SCRATCH/body" -w '%{http_code}' --unix-socket "$socket" \
        --data-binary "@$SCRATCH/own" http://x/api/write)" 200
# Another user of this host has no token, and is no gateway where there are tokens.
if [ "$(id -u)" = 0 ]; then
    chmod 711 "$SCRATCH"
    is "a local user without a token has the share of an exporter" \
        "$(sed s/hostname=z1/hostname=z2/ "$SCRATCH/own" |
            setpriv --reuid=65534 --regid=65534 --clear-groups \
                curl -s --unix-socket "$socket" --data-binary @- http://x/api/write |
            jq -c '[.samples_written,.samples_refused]')" '[50,{"share":250}]'
else
    skip "a local user without a token has the share of an exporter" "wants a second user: run as root"
fi
finish
