#!/bin/sh
# Metrics come in as cc-metric-collector and Telegraf send them, and are answered.
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
[metric cpu_load]
step = 60s
aggregation = avg
[metric flops_any]
step = 60s
aggregation = sum
CONF
stop_barod() {
    kill -TERM $pid
    wait $pid
}
send() {
    send_path=$1
    shift
    curl -s -w '%{http_code}' --unix-socket "$socket" "http://x$send_path" "$@"
}
series() {
    curl -s --unix-socket "$socket" "http://x/v1/series" | jq -r '.. | .component? // empty' | sort -u
}
query() {
    curl -s --unix-socket "$socket" -X GET "http://x/api/query" -d "$1"
}
counter() {
    curl -s --unix-socket "$socket" http://x/metrics | sed -n "s/^baro_$1 //p"
}

ok "barod starts" start_barod
now=$(date +%s)
t=$((now - now % 60 - 600))
cat >"$SCRATCH/lines" <<LINES
cpu_load,cluster=alex,hostname=a1,type=node value=1.23456 $t
cpu_load,type=node,hostname=a1,cluster=alex value=2 $((t + 60))
flops_any,cluster=alex,hostname=a1,type=hwthread,type-id=7 value=4i $t
flops_any,cluster=alex,hostname=a1,type=hwthread,type-id=8 value=5u $t
nobody_knows_it,cluster=alex,hostname=a1 value=5 $t
LINES
is "a collector's lines are answered with 200 and nothing else" \
    "$(send /api/write --data-binary "@$SCRATCH/lines")" 200
is "with a slash behind, the same" "$(send /api/write/ --data-binary "@$SCRATCH/lines")" 200
ask() {
    query '{"cluster":"alex","from":'$t',"to":'$((t + 120))',"queries":[{"metric":"'$1'","host":"a1"}]}' |
        jq -c '.results[0][0].data'
}
is "what was written is answered" "$(ask cpu_load)" "[1.235,2]"
is "parts of a host are summed" "$(ask flops_any)" "[9]"
is "a metric that nobody declared is counted" "$(counter ingest_metric_samples_unknown_total)" 2

gzip -c "$SCRATCH/lines" >"$SCRATCH/lines.gz"
is "a body may be compressed" \
    "$(send /api/write -H 'Content-Encoding: gzip' --data-binary "@$SCRATCH/lines.gz")" 200
is "the cluster may stand in the address, the time in milliseconds" \
    "$(send '/api/write/?cluster=fritz' --data-binary "cpu_load,hostname=f1 value=3 ${t}000")" 200
is "and both are understood" \
    "$(query '{"cluster":"fritz","from":'$t',"to":'$((t + 60))',"queries":[{"metric":"cpu_load","host":"f1"}]}' |
        jq -c '.results[0][0].data')" "[3]"

cat >"$SCRATCH/bad" <<LINES
cpu_load,cluster=alex,hostname=a2 value=1 $t
cpu_load,cluster=alex value=1 $t
cpu_load,cluster=alex,hostname=a2 foo=1 $t
cpu_load,cluster=alex,hostname=a2 value= $t
cpu_load,cluster=alex,hostname=a2 value=9007199254740993i $t
cpu_load,hostname=a2 value=9 $t
cpu_load,cluster=alex,hostname=a2 value=2 $((t + 60))
LINES
send /api/write --data-binary "@$SCRATCH/bad" >"$SCRATCH/answer"
is "a bad line costs that line, and is told with line, column and reason" \
    "$(sed 's/200$//' "$SCRATCH/answer" | jq -c '[.lines,.refused,[.problems[]|[.line,.column,.reason]]]')" \
    '[7,5,[[2,1,"no tag names the host"],[3,35,"a field other than '"'value'"'"],[4,41,"a value of no known type"],[5,35,"an integer that no double can hold"],[6,1,"nothing names the cluster"]]]'
is "the others are kept" \
    "$(query '{"cluster":"alex","from":'$t',"to":'$((t + 120))',"queries":[{"metric":"cpu_load","host":"a2"}]}' |
        jq -c '.results[0][0].data')" "[1,2]"

# As Telegraf's influxdb output writes its inputs cpu, disk, mem, net, system, nstat.
cat >"$SCRATCH/telegraf" <<LINES
cpu,cpu=cpu0,host=n1 usage_user=1.5,usage_system=0.25,usage_idle=98.25 ${t}000000000
cpu,cpu=cpu-total,host=n1 usage_user=1.25,usage_idle=98.5 ${t}000000000
disk,device=sda1,fstype=ext4,host=n1,mode=rw,path=/ total=105089261568u,used=5463732224u,inodes_free=6389862i,used_percent=5.4 ${t}000000000
disk,device=sda2,fstype=xfs,host=n1,mode=rw,path=/home used=99i ${t}000000000
mem,host=n1 active=1234567i,available_percent=91.2 ${t}000000000
net,host=n1,interface=eth0 bytes_recv=123456789i,err_in=0i ${t}000000000
system,host=n1 load1=0.5,n_cpus=2i ${t}000000000
system,host=n1 uptime=4242i ${t}000000000
system,host=n1 uptime_format="1:10" ${t}000000000
procstat,host=n1,process_name=slurmd running=true ${t}000000000
win_disk,host=n1,instance=C:,objectname=Logical\\ Disk value=5 ${t}000000000
LINES
is "Telegraf's lines are answered with 204" \
    "$(send '/write?db=telegraf' --data-binary "@$SCRATCH/telegraf")" 204
is "and so they are in InfluxDB 2's dialect, in seconds and compressed" \
    "$(sed 's/000000000$//' "$SCRATCH/telegraf" | gzip -c >"$SCRATCH/t2.gz"
        send '/api/v2/write?org=x&bucket=telegraf&precision=s' -H 'Content-Encoding: gzip' \
            -H 'Authorization: Token abc' --data-binary "@$SCRATCH/t2.gz")" 204
rfc3339() {
    date -u -d "@$1" +%Y-%m-%dT%H:%M:%SZ
}
v1() {
    curl -s -G --unix-socket "$socket" "http://x/v1/query" --data-urlencode "metric=$1" \
        -d "from=$(rfc3339 $((t - 1)))" -d "to=$(rfc3339 $((t + 1)))" -d format=csv -d step=1s -d 'component=*/*/*'
}
is "each tag but the host's is part of the component, so that no two series merge" \
    "$(v1 'disk_used' | grep tags: | sort | sed 's/",disk.*//')" \
    '"telegraf/n1/tags:device=sda1,fstype=ext4,mode=rw,path=\x2F
"telegraf/n1/tags:device=sda2,fstype=xfs,mode=rw,path=\x2Fhome'
is "one tag is its type, a field 'value' leaves the measurement's name" \
    "$(v1 cpu_usage_user | cut -d, -f1 | sort | tail -n 2 | tr '\n' ' ')$(v1 win_disk | tail -n 1 | cut -d, -f1-3)" \
    'telegraf/n1/cpu:cpu-total telegraf/n1/cpu:cpu0 "telegraf/n1/tags:instance=C:,objectname=Logical\x20Disk",win_disk'
is "a bool is 1" "$(v1 procstat_running | tail -n 1 | sed 's/.*,//')" 1
is "a text is counted" "$(counter ingest_metric_strings_total)" 2
is "a bad line is told so that Telegraf does not send it again" \
    "$(send '/write?db=telegraf' --data-binary "mem,host=n1 active=
mem,host=n1 active=2i ${t}000000000" | sed 's/400$//' | jq -r .error)" \
    "partial write: line 1, column 20: a value of no known type dropped=1"
is "a database is made without a word" \
    "$(send /query -d 'q=CREATE DATABASE "telegraf"')" '{"results":[{"statement_id":0}]}
200'
is "and a ping is answered" "$(send /ping)" 204
is "a precision that is none is refused" \
    "$(send '/write?precision=fortnight' -d 'x,host=a v=1' | sed 's/.*\(400\)$/\1/' | tail -n 1)" 400
is "an empty body is no failure" "$(send /api/write -X POST)" 200

before=$(counter ingest_lookup_cache_keys)
send /api/write --data-binary "@$SCRATCH/lines" >/dev/null
is "what was seen is remembered" "$(counter ingest_lookup_cache_keys)" "$before"
kill -9 $pid
wait $pid 2>/dev/null
ok "after kill -9 barod starts again" start_barod
is "and what was acknowledged is there" "$(ask cpu_load)" "[1.235,2]"
stop_barod

ok "barod starts, whose disk may take a minute" start_barod --set store.sync=60s
syncs=$(counter store_log_syncs_total)
send /api/write --data-binary "@$SCRATCH/lines" >/dev/null
is "an answer does not wait for the disk" "$(counter store_log_syncs_total)" "$syncs"
is "but for who wants his samples durable" "$(send '/api/write?durable=1' --data-binary "@$SCRATCH/lines")" 200
ok "the disk is asked at once" test "$(counter store_log_syncs_total)" -gt "$syncs"
is "what is neither yes nor no is refused" \
    "$(send '/write?durable=perhaps' -d 'x,host=a v=1' | sed 's/.*\(400\)$/\1/' | tail -n 1)" 400
stop_barod

ok "barod starts as strict as cc-metric-store" start_barod --set store.compat=strict
is "a field other than value is the end, in its words" \
    "$(send /api/write --data-binary "cpu_load,cluster=c,hostname=h1 value=1 $t
cpu_load,cluster=c,hostname=h2 foo=1 $t
cpu_load,cluster=c,hostname=h3 value=1 $t")" \
    '{"status":"Bad Request","error":"host h2: unknown field: '"'foo'"' (value: 1)"}
400'
is "a text too" \
    "$(send /api/write --data-binary "cpu_load,cluster=c,hostname=h2 value=\"x\" $t")" \
    '{"status":"Bad Request","error":"host h2: unsupported value type in message: string"}
400'
ask_strict() {
    query '{"cluster":"c","from":'$t',"to":'$((t + 60))',"queries":[{"metric":"cpu_load","host":"'$1'"}]}' |
        jq -c '.results[0]|length'
}
is "what came before it is kept, what came behind is not" "$(ask_strict h1) $(ask_strict h3)" "1 0"
stop_barod
finish
