#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# /metrics of barod and of an agent: what Debian's Prometheus scrapes of them, and what their listeners refuse.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$TOP/tests/lib-barod.sh"
requires python3 curl jq

barod_conf
barod_port=$(free_port)
agent_port=$(free_port)
sed -i "s/^listen = none/listen = 127.0.0.1:$barod_port/" "$SCRATCH/barod.conf"
ok "barod starts" start_barod
cat >"$SCRATCH/agent.conf" <<CONF
[agent]
server = $server
source = files
root = $SCRATCH/root
state = $SCRATCH/state
spool = $SCRATCH/spool
host = n1
totals_interval = 0s
metrics_listen = 127.0.0.1:$agent_port
CONF
mkdir -p "$SCRATCH/root/proc/fs/lustre" "$SCRATCH/root/sys/fs/lustre"
baro-agent --config "$SCRATCH/agent.conf" >"$SCRATCH/agent.log" 2>&1 &
agent=$!
at_exit "kill -9 $agent 2>/dev/null"
agent_url=http://127.0.0.1:$agent_port
ok "the agent responds" wait_for 20 curl -sf "$agent_url/metrics" -o "$SCRATCH/agent.metrics"
ok "with its counters" grep -q '^baro_agent_rounds_total [0-9]' "$SCRATCH/agent.metrics"
status() { # CURL ARGUMENT...
    curl -s -o /dev/null -w '%{http_code}' "$@"
}
is "another path is 404" "$(status "$agent_url/")" 404
is "another method is 405" "$(status -d x "$agent_url/metrics")" 405
is "HEAD has no body" "$(curl -sI "$agent_url/metrics" | tr -d '\r' | sed -n 's/^HTTP.* \([0-9]*\) .*/\1/p')" 200
is "it listens on the loopback alone" "$(python3 - "$agent_port" <<'PY'
import sys
port = "%04X" % int(sys.argv[1])
print({line.split()[1].split(":")[0] for line in open("/proc/net/tcp") if line.split()[1].endswith(":" + port)
       and line.split()[3] == "0A"})
PY
)" "{'0100007F'}"
python3 - "$agent_port" <<'PY'
import socket, sys, time
address = ("127.0.0.1", int(sys.argv[1]))
held = [socket.create_connection(address) for _ in range(30)]      # more than it accepts, that send nothing
long = socket.create_connection(address)
try:
    long.sendall(b"GET /" + b"x" * 100000)
    long.recv(10)
except OSError:
    pass
time.sleep(6)
for s in held:
    s.settimeout(5)
    assert s.recv(10) == b"", "a connection that sends nothing is closed"
PY
is "connections that send nothing, or too much, are closed" $? 0
ok "and others are served" curl -sf "$agent_url/metrics" -o /dev/null
for address in 0.0.0.0:9191 192.0.2.1:9191 127.0.0.1 host:9191 unix:relative; do
    baro-agent --config "$SCRATCH/agent.conf" --set "agent.metrics_listen=$address" --set "agent.state=$SCRATCH/state2" \
        --set "agent.spool=$SCRATCH/spool2" >"$SCRATCH/out" 2>&1
    ok "$address is refused" grep -q metrics_listen "$SCRATCH/out"
done

if ! command -v prometheus >/dev/null; then
    skip "Prometheus scrapes both" "prometheus is not installed"
    finish
fi
prometheus_port=$(free_port)
cat >"$SCRATCH/prometheus.yml" <<CONF
global:
  scrape_interval: 1s
scrape_configs:
- job_name: barod
  static_configs:
  - targets: ['127.0.0.1:$barod_port']
- job_name: agent
  static_configs:
  - targets: ['127.0.0.1:$agent_port']
CONF
prometheus --config.file="$SCRATCH/prometheus.yml" --storage.tsdb.path="$SCRATCH/tsdb" \
    --web.listen-address="127.0.0.1:$prometheus_port" >"$SCRATCH/prometheus.log" 2>&1 &
prometheus=$!
at_exit "kill -9 $prometheus 2>/dev/null"
asked() { # EXPRESSION
    curl -s "http://127.0.0.1:$prometheus_port/api/v1/query" --data-urlencode "query=$1" | jq -r '.data.result[].value[1]'
}
up() {
    [ "$(asked 'sum(up)')" = 2 ]
}
ok "Prometheus scrapes both" wait_for 30 up
ok "barod's requests count up" wait_for 20 sh -c "curl -s 'http://127.0.0.1:$prometheus_port/api/v1/query' \
    --data-urlencode 'query=increase(baro_net_requests_total[10s]) > 0' | grep -q barod"
lines() { # FILE: samples in it
    grep -vc '^#' "$1"
}
curl -s --unix-socket "$socket" http://x/metrics >"$SCRATCH/barod.metrics"
is "no sample of barod's page is refused" "$(asked 'scrape_samples_scraped{job="barod"}')" "$(lines "$SCRATCH/barod.metrics")"
is "none of the agent's" "$(asked 'scrape_samples_scraped{job="agent"}')" "$(lines "$SCRATCH/agent.metrics")"
is "every metric has a type" "$(curl -s "http://127.0.0.1:$prometheus_port/api/v1/targets/metadata" |
    jq '[.data[] | select(.type == "unknown" and (.metric | startswith("baro_")))] | length')" 0
ok "the agent's values are those of its page" test "$(asked 'baro_spool_records')" = \
    "$(sed -n 's/^baro_spool_records //p' "$SCRATCH/agent.metrics")"
finish
