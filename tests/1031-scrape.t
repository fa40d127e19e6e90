#!/bin/sh
# Exporters are asked: a good one, one for many hosts, and all that a bad one can do.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl jq python3

socket=$SCRATCH/barod.sock
port=$(free_port)
echo "open sesame" >"$SCRATCH/token"
chmod 600 "$SCRATCH/token"
cat >"$SCRATCH/box.prom" <<TEXT
# TYPE box_watts gauge
box_watts{outlet="1"} 230.5
TEXT
section() {
    printf '[scrape %s]\nurl = http://127.0.0.1:%s/%s\ninterval = 1s\ntimeout = 1s\n' "$1" "$port" "$1"
}
{
    cat <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
[write]
cluster = site
CONF
    section metrics
    echo "host = n9
map = cpu hwthread
exclude = go_*"
    section gpu
    echo "cluster = gpus
host_label = Hostname
map = gpu accelerator
drop = *
include = DCGM_*"
    for bad in slow huge garbage page half cut gone; do
        section $bad
        echo "body_max = 256KiB"
    done
    section secret
    echo "token_file = $SCRATCH/token"
    echo "[scrape box]
file = $SCRATCH/box.prom
host = rack1
interval = 1s
timeout = 1s"
} >"$SCRATCH/barod.conf"
start_exporter() {
    python3 "$TOP/tests/sim/exporter.py" "$port" 20 2>>"$SCRATCH/exporter.log" &
    exporter_pid=$!
    wait_for 20 curl -sf "http://127.0.0.1:$port/metrics"
}
at_exit 'kill -9 $pid $exporter_pid'
of() {
    curl -s --unix-socket "$socket" http://x/metrics |
        sed -n "s/^baro_ingest_scrape_$1{scrape=\"$2\"} //p"
}
is_up() {
    [ "$(of targets_up "$1")" = "$2" ]
}
at_least() {
    [ "$(of "$1" "$2")" -ge "$3" ]
}
# component,value of the newest sample of each series
newest() {
    curl -s -G --unix-socket "$socket" "http://x/v1/query" --data-urlencode "metric=$1" -d from=-1h -d to=now \
        -d format=csv -d step=1s --data-urlencode "component=$2" |
        python3 -c 'import csv, sys
rows = [r for r in csv.reader(sys.stdin)][1:]
last = {r[0]: r[-1] for r in rows if r[-1]}
print("\n".join(sorted(f"{c} {v}" for c, v in last.items())))'
}

ok "exporters are there" start_exporter
ok "barod starts" start_barod
for name in metrics gpu slow huge garbage page half cut gone secret box; do
    ok "$name is asked, more than once" wait_for 30 at_least scrapes_total $name 3
done
for name in metrics gpu half secret box; do
    ok "$name is up" wait_for 20 is_up $name 1
done
for name in slow huge garbage page cut gone; do
    is "$name is not" "$(of targets_up $name) $(of samples_total $name)" "0 0"
done
said() {
    grep -q "warn: scrape: $1: [^ ]*: .*$2" "$SCRATCH/barod.log"
}
newest node_load1 'site/*' >"$SCRATCH/load"
is "a sample without labels is the host's" "$(cat "$SCRATCH/load")" "site/n9 0.21"
is "a label that is mapped is the component, another a part of it" \
    "$(newest node_cpu_seconds_total 'site/*/*/*' | grep -v 'hwthread:0/mode:idle')" \
    "site/n9/hwthread:0/mode:user 12.25
site/n9/hwthread:1/mode:idle 1001.25"
is "other labels are kept apart" "$(newest node_filesystem_avail_bytes 'site/*/*')" \
    'site/n9/tags:device=\x2Fdev\x2Fsda1,fstype=ext4,mountpoint=\x2F 105089200000'
is "what leave names is left out, and counted" "$(newest go_goroutines 'site/*')" ""
ok "really" at_least samples_left_total metrics 3
ok "how busy the threads are stands beside their number" sh -c 'curl -s --unix-socket "$1" \
    http://x/metrics | grep -A99999 "^baro_ingest_scrape_waiting [0-9]" |
    grep -A99999 "^baro_ingest_scrape_threads_busy [0-9]" |
    grep "^baro_ingest_scrape_threads_limit [1-9]"' sh "$socket"
is "a label may name the host" "$(newest DCGM_FI_DEV_GPU_TEMP 'gpus/*/*')" "gpus/n1/accelerator:0 40
gpus/n1/accelerator:1 41
gpus/n2/accelerator:0 40
gpus/n2/accelerator:1 41"
is "a file is read" "$(newest box_watts 'site/*/*')" "site/rack1/outlet:1 230.5"
is "but once as long as it is the same" "$(of samples_total box)" 1
sed 's/230.5/231/' "$SCRATCH/box.prom" >"$SCRATCH/box.new"
mv "$SCRATCH/box.new" "$SCRATCH/box.prom"
two() {
    [ "$(of samples_total box)" = 2 ]
}
ok "when it is another, it is taken in" wait_for 20 two
is "a token is shown" "$(newest secret 'site/*')" "site/127.0.0.1 42"
is "a bad line costs that line" "$(newest also_good 'site/*')" "site/127.0.0.1 2"
ok "and is said" grep -q 'scrape: half: .*1 bad lines; the first: line 2, column 5: a value that is not a number' "$SCRATCH/barod.log"
is "whether a target answers is a metric" \
    "$(newest scrape_up 'site/*/*' | sort -k 2)" \
    "site/127.0.0.1/scrape:cut 0
site/127.0.0.1/scrape:garbage 0
site/127.0.0.1/scrape:gone 0
site/127.0.0.1/scrape:huge 0
site/127.0.0.1/scrape:page 0
site/127.0.0.1/scrape:slow 0
site/127.0.0.1/scrape:half 1
site/127.0.0.1/scrape:secret 1
site/n9/scrape:metrics 1
site/rack1/scrape:box 1"
is "all samples of an answer are of one moment, in step" \
    "$(curl -s -G --unix-socket "$socket" http://x/v1/query -d metric=scrape_samples -d from=-1h -d to=now -d format=csv \
        -d step=1s --data-urlencode 'component=site/n9/*' | sed 1d | cut -d, -f3 | sort | uniq -d)" ""
ok "why one fails is said" said '[a-z]*' '\(too long\|responds with 404\|no line of it is Prometheus text\|imed out\)'
is "but not each time" "$(test "$(grep -c 'warn: scrape: slow' "$SCRATCH/barod.log")" -le 1 && echo once)" once
is "requests are answered meanwhile" \
    "$(curl -s -m 2 -o /dev/null -w '%{http_code}' --unix-socket "$socket" http://x/healthz)" 200

kill $exporter_pid
wait $exporter_pid 2>/dev/null
ok "an exporter that goes away is noticed" wait_for 20 is_up metrics 0
ok "one that comes again" start_exporter
ok "is taken up again" wait_for 20 is_up metrics 1
begin=$(date +%s)
kill -TERM $pid
wait $pid
is "SIGTERM ends barod well" $? 0
is "and soon, whatever hangs" "$(test $(($(date +%s) - begin)) -le 10 && echo soon)" soon
is "no memory is left" "$(grep -c Sanitizer "$SCRATCH/barod.log")" 0

refuses() {
    sed "$1" "$SCRATCH/barod.conf" >"$SCRATCH/bad.conf"
    ! barod --config "$SCRATCH/bad.conf" >"$SCRATCH/refused" 2>&1 && grep -q "$2" "$SCRATCH/refused"
}
ok "a section with nothing to ask is refused" refuses '/box.prom/d' "scrape box: there is neither a url nor a file"
ok "and a map without a type" refuses 's/^map = gpu.*/map = gpu/' "map: 'gpu' is not a label and a type"
ok "and two urls of one host" refuses 's/^url.*half/&\n&2/' "are of one host: make two sections"
ok "and a url that is none" refuses 's/^url = http:..\(.*half\)/url = \1/' "url: .* is none"
ok "and a timeout beyond the interval" refuses '/^file/,$s/^timeout = 1s/timeout = 2s/' "timeout is longer than interval"
finish
