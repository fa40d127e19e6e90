#!/bin/sh
# Telegraf just works: what its two InfluxDB outputs send, interval by interval, is
# answered by the names that doc/formats/writing-metrics.md gives, at its step.
. "$(dirname "$0")/lib.sh"
requires curl jq gzip

socket=$SCRATCH/barod.sock
port=$(free_port)
# No section about metrics: as barod is installed, with a store.
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = 127.0.0.1:$port
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
[write]
readers_may_write = yes
cluster = alex
CONF
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
at_exit "kill -9 $!"
ok "barod starts" wait_for 20 curl -sf "http://127.0.0.1:$port/healthz"
BARO_SERVER=unix:$socket
export BARO_SERVER
url=http://127.0.0.1:$port
begin=$(($(date +%s) / 60 * 60 - 600))

# What the inputs cpu, mem, disk, diskio, net, system, processes and nvidia_smi gather,
# at one interval, in nanoseconds.
gather() { # host interval
    g_ns=$((begin + 10 * $2))000000000
    cat <<LINES
cpu,cpu=cpu0,host=$1 usage_user=$2.25,usage_system=0.75,usage_idle=97,usage_iowait=0 $g_ns
cpu,cpu=cpu-total,host=$1 usage_user=$2.5,usage_system=0.5,usage_idle=97,usage_iowait=0 $g_ns
mem,host=$1 total=270120992768i,used=$((1000000 + $2))i,available_percent=91.25 $g_ns
disk,device=sda2,fstype=ext4,host=$1,mode=rw,path=/ total=105089261568i,used=$((5000 + $2))i,used_percent=5.5 $g_ns
disk,device=nvme0n1p1,fstype=xfs,host=$1,mode=rw,path=/local\\ scratch total=9i,used=$((7000 + $2))i,used_percent=0.5 $g_ns
diskio,host=$1,name=sda read_bytes=$((512 * $2))i,write_bytes=4096i,iops_in_progress=0i $g_ns
net,host=$1,interface=ib0 bytes_recv=$((2048 * $2))i,bytes_sent=1i,err_in=0i $g_ns
system,host=$1 load1=0.$2,load5=1.5,n_cpus=128i,n_users=3i $g_ns
system,host=$1 uptime=$((4242 + 10 * $2))i $g_ns
system,host=$1 uptime_format=" 1:10" $g_ns
processes,host=$1 running=2i,sleeping=312i,total=314i,zombies=0i $g_ns
nvidia_smi,compute_mode=Default,host=$1,index=0,name=NVIDIA\\ A100-SXM4-40GB,pstate=P0,uuid=GPU-1d1f fan_speed=0i,power_draw=$((60 + $2)).5,temperature_gpu=34i,driver_version="535.1" $g_ns
LINES
}
status() {
    curl -s -o "$SCRATCH/answer" -w '%{http_code}' "$@"
}
# The output influxdb: form-encoded CREATE DATABASE, then chunked gzip.
influxdb_begin() {
    status -A "Telegraf/1.30 Go/1.22" --data-urlencode 'q=CREATE DATABASE "telegraf"' "$url/query"
}
influxdb() {
    gzip -c | status -A "Telegraf/1.30 Go/1.22" -H 'Content-Type: text/plain; charset=utf-8' \
        -H 'Content-Encoding: gzip' -H 'Transfer-Encoding: chunked' -H 'Expect:' \
        --data-binary @- "$url/write?consistency=any&db=telegraf"
}
# The output influxdb_v2: a token of the other kind, an organisation, a bucket.
influxdb_v2() {
    gzip -c | status -A "Telegraf/1.30 Go/1.22" -H 'Content-Type: text/plain; charset=utf-8' \
        -H 'Content-Encoding: gzip' -H 'Transfer-Encoding: chunked' -H 'Expect:' \
        --data-binary @- "$url/api/v2/write?bucket=telegraf&org=centre"
}

is "a ping is answered, and says a version" \
    "$(status "$url/ping")$(curl -s -I -X GET "$url/ping" | grep -ci '^x-influxdb-version: ')" 2041
is "a database is made" "$(influxdb_begin)" 200
sent=
for i in 0 1 2 3 4 5 6 7 8 9; do
    sent="$sent $(gather n1 $i | influxdb)$(gather n2 $i | influxdb_v2)"
done
is "ten intervals of two hosts are taken" "$sent" \
    " 204204 204204 204204 204204 204204 204204 204204 204204 204204 204204"

query() { # metric component
    curl -s -G --unix-socket "$socket" http://x/v1/query --data-urlencode "metric=$1" \
        --data-urlencode "component=$2" -d "from=@$begin" -d "to=@$((begin + 100))"
}
values() {
    query "$1" "$2" | jq -c '.results[0]|[.step,.values]'
}
is "their step is found" \
    "$(curl -s --unix-socket "$socket" "http://x/v1/series?metric=*&component=*/*" |
        jq -r '.rows[] | .[2]' | sort | uniq -c | tr -s ' ')" " 70 10"
is "a float is what it was" "$(values cpu_usage_user alex/n1/cpu:cpu-total)" \
    "[10,[0.5,1.5,2.5,3.5,4.5,5.5,6.5,7.5,8.5,9.5]]"
is "an integer too, in the other dialect" "$(values mem_used alex/n2)" \
    "[10,[1000000,1000001,1000002,1000003,1000004,1000005,1000006,1000007,1000008,1000009]]"
is "two lines of one measurement at one time are two metrics" \
    "$(values system_uptime alex/n1)$(values system_load5 alex/n1)" \
    "[10,[4242,4252,4262,4272,4282,4292,4302,4312,4322,4332]][10,[1.5,1.5,1.5,1.5,1.5,1.5,1.5,1.5,1.5,1.5]]"
is "several tags are one component each" \
    "$(query disk_used 'alex/n1/tags:*' | jq -r '.results[]|[.component,.values[9]]|@tsv' | sort)" \
    "$(printf 'alex/n1/tags:device=nvme0n1p1,fstype=xfs,mode=rw,path=\\x2Flocal\\x20scratch\t7009
alex/n1/tags:device=sda2,fstype=ext4,mode=rw,path=\\x2F\t5009' | sed 's/\\/\\\\/g')"
is "one tag is a component of its type" "$(values diskio_read_bytes alex/n2/name:sda)" \
    "[10,[0,512,1024,1536,2048,2560,3072,3584,4096,4608]]"
is "an accelerator is found by a pattern" \
    "$(query nvidia_smi_power_draw 'alex/n?/tags:*index=0*' | jq -c '[.results[].values[3]]')" "[63.5,63.5]"
counted() {
    curl -s --unix-socket "$socket" http://x/metrics | sed -n "s/^baro_ingest_metric_$1 //p"
}
is "texts are counted" "$(counted strings_total)" 40
is "and nothing else is left out" \
    "$(counted lines_bad_total)$(counted samples_unknown_total)$(counted samples_refused_total)" 000
is "sending an interval again changes nothing" \
    "$(gather n1 9 | influxdb)$(values cpu_usage_user alex/n1/cpu:cpu-total)" \
    "204[10,[0.5,1.5,2.5,3.5,4.5,5.5,6.5,7.5,8.5,9.5]]"
is "a person asks" \
    "$(baro metric query cpu_usage_user 'alex/n1/cpu:cpu0' --from "@$begin" --to "@$((begin + 100))" \
        --statistics -o csv | tail -n 1)" "alex/n1/cpu:cpu0,cpu_usage_user,\"\",10,4.75,0.25,9.25,47.5"
is "what n1 does most" \
    "$(baro metric top 'net_bytes_recv' '*/*/*' --from "@$begin" --to "@$((begin + 100))" --by max -l 1 -o csv |
        tail -n 1 | cut -d, -f1,7)" "alex/n1/interface:ib0,18432"
finish
