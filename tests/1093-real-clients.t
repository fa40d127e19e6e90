#!/bin/sh
# Clients that others have written: InfluxDB's for Python writes, collectd is scraped.
. "$(dirname "$0")/lib.sh"
requires curl jq python3

socket=$SCRATCH/barod.sock
port=$(free_port)
collectd_port=$(free_port)
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = 127.0.0.1:$port
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
own_metrics = 0s
[write]
readers_may_write = yes
cluster = site
metrics = open
[scrape collectd]
url = http://127.0.0.1:$collectd_port/metrics
host = c1
interval = 1s
timeout = 1s
drop = instance
CONF
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit 'kill -9 $pid'
ok "barod starts" wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
counter() {
    curl -s --unix-socket "$socket" http://x/metrics | sed -n "s/^baro_ingest_$1 //p"
}
values() { # metric component
    curl -s -G --unix-socket "$socket" http://x/v1/query -d "metric=$1" --data-urlencode "component=$2" \
        -d last=1h | jq -c '.results[0].values'
}

# Debian's python3 has it, if any has.
python=/usr/bin/python3
if $python -c 'import influxdb' 2>/dev/null; then
    cat >"$SCRATCH/client.py" <<'PY'
import sys
import time
import influxdb

port, t = int(sys.argv[1]), int(sys.argv[2])
client = influxdb.InfluxDBClient("127.0.0.1", port, database="telegraf", timeout=20)
client.ping()
client.create_database("telegraf")
client.write_points(
    [{"measurement": "disk", "tags": {"host": "n1", "device": "sda 1", "fs": "e,x=t"},
      "time": t + 10 * i, "fields": {"used": 7 + i, "load": 0.1 + i, "ok": True, "text": 'a "b" \\'}}
     for i in range(8)], time_precision="s")
client.write_points([{"measurement": "power", "time": (t + 10 * i) * 1000, "fields": {"value": 230.5 + i}}
                     for i in range(8)], tags={"host": "n2"}, time_precision="ms", batch_size=3)
zipped = influxdb.InfluxDBClient("127.0.0.1", port, database="telegraf", gzip=True, timeout=20)
zipped.write_points([{"measurement": "huge", "tags": {"host": "n%d" % n}, "time": t * 10**9,
                      "fields": {"value": 2.0 ** n}} for n in range(1000)], time_precision="n")
zipped.write(["odd,host=n1 value=1i %d" % t, "odd,host=n1 value=2i %d" % (t + 7)],
             {"db": "telegraf", "precision": "s"}, 204, "line")
PY
    now=$(date +%s)
    t=$((now - now % 10 - 600))
    ok "InfluxDB's client for Python is content" $python "$SCRATCH/client.py" "$port" "$t"
    is "no line of it is bad" "$(counter metric_lines_bad_total)" 0
    is "its integers are there" "$(values disk_used 'site/n1/*')" "[7,8,9,10,11,12,13,14]"
    is "with its tags" \
        "$(curl -s --unix-socket "$socket" 'http://x/v1/series?metric=disk_used&format=csv' |
            sed '1d; s/^"//; s/".*//; s/,disk_used.*//')" 'site/n1/tags:device=sda\x201,fs=e\x5C,x\x5C=t'
    is "its floats" "$(values disk_load 'site/n1/*')" "[0.1,1.1,2.1,3.1,4.1,5.1,6.1,7.1]"
    is "its bools" "$(values disk_ok 'site/n1/*')" "[1,1,1,1,1,1,1,1]"
    is "its strings are counted" "$(counter metric_strings_total)" 8
    is "milliseconds are milliseconds" "$(values power site/n2)" \
        "[230.5,231.5,232.5,233.5,234.5,235.5,236.5,237.5]"
    is "a body with gzip is taken" "$(values huge site/n999) $(values huge site/n10)" \
        "[5.357543035931337e+300] [1024]"
    is "all samples are kept" "$(counter metric_samples_total)" 1034
else
    skip "InfluxDB's client for Python" "python3-influxdb is not installed"
fi

if command -v collectd >/dev/null && [ -e /usr/lib/collectd/write_prometheus.so ]; then
    cat >"$SCRATCH/collectd.conf" <<CONF
Hostname "c1"
BaseDir "$SCRATCH"
PIDFile "$SCRATCH/collectd.pid"
PluginDir "/usr/lib/collectd"
TypesDB "/usr/share/collectd/types.db"
Interval 1
LoadPlugin load
LoadPlugin memory
LoadPlugin cpu
LoadPlugin write_prometheus
<Plugin cpu>
    ValuesPercentage false
</Plugin>
<Plugin write_prometheus>
    Port "$collectd_port"
    Host "127.0.0.1"
</Plugin>
CONF
    collectd -f -C "$SCRATCH/collectd.conf" >"$SCRATCH/collectd.log" 2>&1 &
    at_exit "kill -9 $!"
    is_scraped() {
        [ "$(values collectd_memory 'site/c1/memory:free' | jq length)" -ge 3 ]
    }
    ok "collectd is scraped" wait_for 60 is_scraped
    is "no line of it is bad" "$(counter 'scrape_lines_bad_total{scrape="collectd"}')" 0
    free=$(values collectd_memory 'site/c1/memory:free' | jq '[.[] | select(. != null)] | last')
    total=$(awk '/^MemTotal:/ { print $2 * 1024 }' /proc/meminfo)
    ok "and says what memory is free" awk -v free="$free" -v total="$total" \
        'BEGIN { exit !(free > 0 && free < total) }'
    ok "its counters are counters" sh -c "curl -s --unix-socket '$socket' 'http://x/v1/metrics?format=csv' |
        grep '^collectd_cpu_total,' | grep -q counter"
else
    skip "collectd is scraped" "collectd is not installed"
fi
kill -TERM "$pid"
wait "$pid"
is "SIGTERM ends it" $? 0
finish
