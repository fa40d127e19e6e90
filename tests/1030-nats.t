#!/bin/sh
# Metrics come by NATS: two subscriptions, a server that is late, restarts, and refuses.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl jq python3 nats-server

socket=$SCRATCH/barod.sock
port=$(free_port)
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
[metric cpu_load]
step = 60s
[nats]
address = nats://127.0.0.1:$port
username = barod
password = correct horse
reconnect_max = 300ms
[nats_subscription from_alex]
subscribe_to = alex.metrics
cluster_tag = alex
[nats_subscription from_fritz]
subscribe_to = fritz.metrics
cluster_tag = fritz
[nats_subscription telegraf]
subscribe_to = telegraf.>
cluster_tag = office
form = influx
CONF
chmod 600 "$SCRATCH/barod.conf"
start_nats() {
    cat >"$SCRATCH/nats.conf" <<CONF
listen: "127.0.0.1:$port"
authorization { users = [
    { user: "barod", password: "$1", permissions: { subscribe: [${2:-'">"'}], publish: [] } }
    { user: "sender", password: "sent" } ] }
CONF
    nats-server --config "$SCRATCH/nats.conf" >>"$SCRATCH/nats.log" 2>&1 &
    nats_pid=$!
}
stop_nats() {
    kill -TERM $nats_pid
    wait $nats_pid
}
at_exit 'kill -9 $pid $nats_pid'
publish() {
    python3 "$TOP/tests/sim/nats_publish.py" "127.0.0.1:$port:sender:sent" "$@"
}
counter() {
    curl -s --unix-socket "$socket" http://x/metrics | grep "^baro_ingest_nats_$1 " | sed 's/.* //'
}
of() {
    counter "$1{subscription=\"$2\"}"
}
reached() {
    [ "$(counter "$1")" = "$2" ]
}
ask() {
    curl -s --unix-socket "$socket" -X GET http://x/api/query \
        -d '{"cluster":"'"$1"'","from":'$t',"to":'$((t + 120))',"queries":[{"metric":"cpu_load","host":"'"$2"'"}]}' |
        jq -c '.results[0][0].data'
}

now=$(date +%s)
t=$((now - now % 60 - 600))
ok "barod starts without the NATS server" start_barod
ok "and counts that it cannot connect" wait_for 10 grep -q 'nats: cannot connect to nats://127.0.0.1' "$SCRATCH/barod.log"
start_nats "another password"
ok "a refused password is said" wait_for 10 grep -q 'nats: cannot connect.*Authentication Violation' "$SCRATCH/barod.log"
stop_nats
start_nats "correct horse"
ok "it connects when the password is right, however often it was wrong" wait_for 20 reached connected 1

echo "cpu_load,hostname=h1 value=1 $t
cpu_load,hostname=h1 value=2 $((t + 60))" | publish alex.metrics 1
echo "cpu_load,hostname=h1 value=3 $t
cpu_load,hostname=h1,cluster=woody value=4 $t" | publish fritz.metrics 1
ok "messages are taken in" wait_for 10 reached 'messages_total{subscription="from_alex"}' 1
ok "of the other subscription too" wait_for 10 reached 'messages_total{subscription="from_fritz"}' 1
is "each subscription has its own cluster" "$(ask alex h1) $(ask fritz h1)" "[1,2] [3]"
is "and a tag goes before it" "$(ask woody h1)" "[4]"

echo "cpu_load,hostname=h2 value=1 $t
cpu_load,hostname=h2 value=
cpu_load value=1 $t
cpu_load,hostname=h2 value=2 $((t + 60))" | publish alex.metrics 1
ok "a bad line is counted" wait_for 10 reached 'lines_bad_total{subscription="from_alex"}' 2
is "it costs that line" "$(ask alex h2)" "[1,2]"
ok "and is told with its place" \
    grep -q 'nats: from_alex: 2 of 4 lines are bad; the first: line 2, column ' "$SCRATCH/barod.log"
is "the queue's limit stands beside its level" \
    "$(curl -s --unix-socket "$socket" http://x/metrics |
        sed -n 's/^baro_ingest_nats_queue_limit_messages{.*from_alex.*} //p')" 65536
is "all lines are counted with those of the other ways in" \
    "$(curl -s --unix-socket "$socket" http://x/metrics | sed -n 's/^baro_ingest_metric_lines_total //p')" 8

echo "disk,host=n1,device=sda used=7i,free=8i ${t}000000000" | publish telegraf.n1.disk 1
ok "Telegraf's form is taken where a subscription says so" \
    wait_for 10 reached 'samples_total{subscription="telegraf"}' 2
is "with its tags" "$(curl -s -G --unix-socket "$socket" "http://x/v1/query" -d metric=disk_used \
    -d "from=$(date -u -d "@$((t - 1))" +%Y-%m-%dT%H:%M:%SZ)" -d "to=$(date -u -d "@$((t + 1))" +%Y-%m-%dT%H:%M:%SZ)" \
    -d format=csv -d step=1s -d 'component=*/*/*' | tail -n 1 | cut -d, -f1)" office/n1/device:sda

# 500 messages of 40 hosts each, one after the other.
for i in $(seq 40); do
    echo "cpu_load,hostname=b$i value={n} $((t + 60))"
done >"$SCRATCH/many"
publish alex.metrics 500 <"$SCRATCH/many"
ok "many messages are all taken in" wait_for 60 reached 'messages_total{subscription="from_alex"}' 502
is "the last one counts" "$(ask alex b40)" "[null,499]"
is "none was dropped" "$(of messages_dropped_total from_alex)" 0

stop_nats
ok "that the server goes is noticed" wait_for 10 reached connected 0
start_nats "correct horse"
ok "and when it is there again, so is barod" wait_for 20 reached connected 1
is "by a second connection" "$(counter connections_total)" 2
echo "cpu_load,hostname=h3 value=5 $t" | publish alex.metrics 1
ok "and messages come as before" wait_for 10 reached 'messages_total{subscription="from_alex"}' 503
is "into the right cluster" "$(ask alex h3)" "[5]"

kill -9 $nats_pid
wait $nats_pid 2>/dev/null
start_nats "correct horse" '"alex.*", "telegraf.>"'
ok "a server killed and restarted is connected to" wait_for 20 reached connections_total 3
ok "a subject that it does not grant is said" wait_for 10 grep -qi 'nats: .*permissions violation.*fritz.metrics' "$SCRATCH/barod.log"
echo "cpu_load,hostname=h4 value=6 $t" | publish alex.metrics 1
ok "and the others go on" wait_for 10 reached 'messages_total{subscription="from_alex"}' 504

# What the server has handed on before SIGTERM is kept.
publish alex.metrics 300 <"$SCRATCH/many"
sed 's/value={n}/value=12345/' "$SCRATCH/many" | publish alex.metrics 1
kill -TERM $pid
wait $pid
is "SIGTERM ends barod well" $? 0
ok "barod starts again" start_barod
is "after it had taken in what was sent before" "$(ask alex b1) $(ask alex b40)" "[null,12345] [null,12345]"

kill -TERM $pid
wait $pid
is "no thread and no memory is left" "$(grep -c 'Sanitizer' "$SCRATCH/barod.log")" 0
refuses() {
    sed "$1" "$SCRATCH/barod.conf" >"$SCRATCH/bad.conf"
    chmod 600 "$SCRATCH/bad.conf"
    ! barod --config "$SCRATCH/bad.conf" >"$SCRATCH/refused" 2>&1 && grep -q "$2" "$SCRATCH/refused"
}
not_subject() { refuses 's/telegraf.>/telegraf >/' "is not a subject"; }
not_form() { refuses 's/form = influx/form = json/' "neither clustercockpit nor influx"; }
not_alone() { refuses '/^address/d' "there are subscriptions, but no address"; }
not_both() { refuses 's/^username.*/&\ncredentials_file = none/' "either username and password, or"; }
ok "a subject that is none is refused" not_subject
ok "a form that is none too" not_form
ok "subscriptions without an address" not_alone
ok "and two identities" not_both
finish
