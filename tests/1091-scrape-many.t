#!/bin/sh
# A url names a set of hosts: many targets, of which some hang, and a real node_exporter.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl jq python3

socket=$SCRATCH/barod.sock
port=$(free_port)
node_port=$(free_port)
# Every address of 127.0.0.0/8 is this machine.
write_config() { # url of good ones
    cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
[write]
cluster = site
[scrape hanging]
url = http://127.0.1.[1-40]:$port/slow
interval = 2s
timeout = 2s
[scrape good]
url = $1
interval = 2s
timeout = 2s
include = node_load1
[scrape real]
url = http://127.0.0.1:$node_port/metrics
interval = 2s
timeout = 2s
host = real
exclude = go_*
CONF
}
counter() { # name section
    curl -s --unix-socket "$socket" http://x/metrics |
        sed -n "s/^baro_ingest_scrape_$1{scrape=\"$2\"} //p"
}
reached() {
    [ "$(counter "$1" "$2")" -ge "$3" ]
}
refuses() { # url text
    write_config "$1"
    timeout 120 barod --config "$SCRATCH/barod.conf" 2>&1 | grep -q "$2"
}

ok "a set without an end is refused" refuses "http://127.0.0.[1-20:$port/metrics" "scrape good: url"
ok "so are more hosts than there can be" refuses "http://n[0-99999]:$port/metrics" "more than 10000 targets"
ok "and a host twice" refuses "http://127.0.0.[1-3,2]:$port/metrics" "are of one host"

python3 "$TOP/tests/sim/exporter.py" "$port" 20 0.0.0.0 2>>"$SCRATCH/exporter.log" &
at_exit "kill -9 $!"
ok "an exporter is there" wait_for 20 curl -sf -o "$SCRATCH/out" "http://127.0.0.7:$port/metrics"
write_config "http://127.0.0.[1-30]:$port/metrics"
ok "barod starts" start_barod
is "each host of a set is a target" "$(counter targets good) $(counter targets hanging)" "30 40"
ok "all that answer are up" wait_for 60 reached targets_up good 30
ok "and are asked again and again" wait_for 60 reached scrapes_total good 150
is "each has its own series" \
    "$(curl -s --unix-socket "$socket" 'http://x/v1/series?metric=node_load1&format=csv&component=site/127.0.0.*' | sed 1d | wc -l)" 30
ok "those that hang are said to" grep -q 'hanging: http://127.0.1.[0-9]*:[0-9]*/slow: ' "$SCRATCH/barod.log"
is "and none of them is up" "$(counter targets_up hanging)" 0
ok "those that hang wait for each other" wait_for 60 reached late_total hanging 1
is "the good ones answered every time" "$(counter failed_total good)" 0
# How often each should have been asked so far, in percent of it not asked.
late_percent() {
    echo "$(($(counter late_total "$1") * 100 / ($(counter late_total "$1") + $(counter scrapes_total "$1"))))"
}
ok "and hardly wait for those that hang" test "$(late_percent good)" -lt "$(late_percent hanging)"
echo "# not asked: $(late_percent good) % of the good ones, $(late_percent hanging) % of those that hang"
open_to_targets() {
    awk -v port="$(printf ':%04X' "$port")" '$4 == "01" && index($3, port) { print $10 }' /proc/net/tcp |
        while read -r inode; do
            find "/proc/$pid/fd" -lname "socket:\[$inode\]"
        done | wc -l
}
ok "connections are no more than the threads" test "$(open_to_targets)" -le 8

if command -v prometheus-node-exporter >/dev/null; then
    prometheus-node-exporter --web.listen-address="127.0.0.1:$node_port" >"$SCRATCH/node.log" 2>&1 &
    at_exit "kill -9 $!"
    ok "a real node_exporter is asked" wait_for 60 reached targets_up real 1
    is "all its lines are understood" "$(counter lines_bad_total real)" 0
    newest() { # metric component
        curl -s -G --unix-socket "$socket" http://x/v1/query -d "metric=$1" --data-urlencode "component=$2" \
            -d last=10m | jq '.results[0].values | map(select(. != null)) | last'
    }
    is "its memory is that of this machine" "$(newest node_memory_MemTotal_bytes site/real)" \
        "$(awk '/^MemTotal:/ { print $2 * 1024 }' /proc/meminfo)"
    is "its counters are counters" "$(curl -s --unix-socket "$socket" "http://x/v1/metrics?format=csv" |
        grep '^node_cpu_seconds_total,' | grep -o counter)" counter
    is "each processor and mode is a series of its own" \
        "$(curl -s --unix-socket "$socket" 'http://x/v1/series?metric=node_cpu_seconds_total&format=csv&component=site/real/*' | sed 1d | wc -l)" \
        "$(curl -s "http://127.0.0.1:$node_port/metrics" | grep -c '^node_cpu_seconds_total{')"
else
    skip "a real node_exporter is asked" "prometheus-node-exporter is not installed"
fi
kill -TERM "$pid"
wait "$pid"
is "SIGTERM ends it while some hang" $? 0
finish
