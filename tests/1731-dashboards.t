#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Dashboards for Grafana: files are those of their description and of the form of Grafana 10
# and 11; each query of each panel brings data out of what the demo plays; what Grafana sends
# has a response.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$TOP/tests/lib-barod.sh"
requires python3 curl jq awk baro-sim baro-agent

# ---- the files ----
"$TOP/tools/make-grafana" "$SCRATCH/made" >"$SCRATCH/out"
for folder in prometheus postgresql; do
    is "$folder: files are those of the description" \
        "$(diff -r "$SCRATCH/made/$folder" "$TOP/etc/grafana/$folder" | head -20)" ""
done
# shellcheck disable=SC2016
is "uids are each once, schema and data source are those of both releases" \
    "$(jq -s -c '[(map(.uid) | unique | length) == length, (map(.schemaVersion) | unique),
        ([.[] | .panels[] | .targets[] | .datasource.uid] | unique)]' "$TOP"/etc/grafana/*/*.json)" \
    '[true,[38],["${datasource}"]]'
is "panels lie beside each other, within 24 columns" \
    "$(jq -c '[.panels[].gridPos | select(.x + .w > 24)] | length' "$TOP"/etc/grafana/*/*.json | sort -u)" 0
for file in "$TOP"/etc/grafana/prometheus/*.json; do
    jq -r '.panels[].targets[].expr' "$file"
done >"$SCRATCH/expressions"
ok "there are ten panels on each" test "$(jq '.panels | length' "$TOP"/etc/grafana/prometheus/*.json | sort -n | head -1)" -ge 10

# ---- the demo, smaller ----
barod_conf
sed -i 's/own_metrics = 0s/own_metrics = 1s/' "$SCRATCH/barod.conf"
cat >>"$SCRATCH/barod.conf" <<'CONF'
[metric cpu_load]
step = 1s
[metric mem_used]
step = 1s
unit = B
[filesystem scratch]
jobid_name = %j:%u:%H
jobid_name = %e.%u
CONF
ok "barod starts" start_barod
baro-sim init --fs "$SCRATCH/fs" epoch=@$(($(date +%s) - 5400)) seed=7 nodes=300 mds=1 mdts=1 oss=2 osts=4 \
    version=2.15.8 >"$SCRATCH/out"
agents=
at_exit 'kill -9 $agents'
for host in $(baro-sim servers --fs "$SCRATCH/fs"); do
    mkdir "$SCRATCH/$host"
    cat >"$SCRATCH/$host/agent.conf" <<CONF
[agent]
host = $host
cluster = scratch
interval = 1s
totals_interval = 1s
server = $server
state = $SCRATCH/$host/state
spool = $SCRATCH/$host/spool
lctl = $SCRATCH/fs/servers/$host/lctl
CONF
    baro-agent --config "$SCRATCH/$host/agent.conf" >"$SCRATCH/$host.log" 2>&1 &
    agents="$agents $!"
done
play_nodes() {
    while :; do
        awk -v t="$(date +%s)" 'BEGIN {
            for (i = 1; i <= 20; i++) {
                printf "cpu_load,cluster=demo,hostname=n%03d,type=node value=%d %d\n", i, (t + i) % 32, t
                printf "mem_used,cluster=demo,hostname=n%03d,type=node value=%d %d\n", i, 1e9 * i, t
            }
        }' | curl -s --unix-socket "$socket" --data-binary @- 'http://x/api/write?cluster=demo' >"$SCRATCH/written"
        sleep 1
    done
}
play_nodes &
agents="$agents $!"
api_v1() { # PATH [CURL OPTION...]
    path=$1
    shift
    curl -s --unix-socket "$socket" "$@" "http://x/api/v1/$path"
}
is_played() {
    # 20 s of rounds of every server, and rates of operations that are rare.
    api_v1 query -d 'query=count(count_over_time(fs:jobstats_metadata:rate[25s]) > 0) and on() (time() - 26 > min(min_over_time(timestamp(baro_store_series)[40s:1s])))' |
        jq -e '.data.result | length > 0'
}
ok "rows and samples have arrived" wait_for 60 is_played
python3 "$TOP/tests/promql/run_dashboards.py" "$socket" "$test_count" "$TOP"/etc/grafana/prometheus/*.json >"$SCRATCH/panels" 2>&1
cat "$SCRATCH/panels"
test_count=$((test_count + $(grep -c '^\(not \)\?ok ' "$SCRATCH/panels")))
test_failed=$((test_failed + $(grep -c '^not ok ' "$SCRATCH/panels")))
ok "panels of all five were run" test "$(grep -c '^ok ' "$SCRATCH/panels")" -ge 45

# ---- what Grafana sends by itself ----
# Save & test: 1+1 at 4, the range of which is 1 to 4, then the edition (10 and 11 alike).
is "the health check of a data source" \
    "$(api_v1 query -H 'X-Datasource-Uid: barograph' -H 'User-Agent: Grafana/10.4.1' -d 'query=1%2B1&time=4' | jq -c .data)" \
    '{"resultType":"scalar","result":[4,"2"]}'
is "build information shows Prometheus" "$(api_v1 status/buildinfo | jq -r '.data.version, .data.features')" "2.42.0
null"
end=$(date +%s) start=$(($(date +%s) - 30))
# The expression browser of 10: series; of 11: values with a selector, and a limit.
is "variables of Grafana 10, as series" \
    "$(api_v1 series -G --data-urlencode 'match[]=fs:jobstats_iops:rate' -d start=$start -d end=$end | jq -r '.data[0].fs')" scratch
is "variables of Grafana 11, with a limit" \
    "$(api_v1 label/fs/values -G --data-urlencode 'match[]=fs:jobstats_iops:rate' -d start=$start -d end=$end -d limit=40000 | jq -r '.data[0]')" scratch
is "labels, posted" \
    "$(api_v1 labels --data-urlencode 'match[]={__name__="fs:jobstats_iops:rate"}' -d start=$start -d end=$end | jq -c .data)" \
    '["__name__","fs"]'
is "metadata, with a limit" "$(api_v1 'metadata?limit=3' | jq '.data | length')" 3
is "a range with decimals, and what only Grafana knows" \
    "$(api_v1 query_range -H 'X-Query-Source: grafana' -d 'query=vector(1)&start=1700000000.123&end=1700000015.123&step=15.000&timeout=60s' |
        jq -c '.data.result[0].values')" '[[1700000000.123,"1"],[1700000015.123,"1"]]'
is "rules, alerts and exemplars are empty" \
    "$(for path in rules 'rules?type=alert' alerts 'query_exemplars?query=x&start=1&end=2'; do api_v1 "$path" | jq -r .status; done | sort -u)" success
ok "barod ends" end_barod
finish
