#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro config grafana: data sources and dashboards for one site.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$TOP/tests/lib-barod.sh"
requires python3 curl jq

barod_conf cpu_load
ok "barod starts" start_barod
t0=$(($(date +%s) / 60 * 60 - 600))
echo "OST0000 7:1001:n1 1 0 - yes 10 1000" | python3 "$TOP/tests/promql/jobstats_rows.py" $t0 "$socket"
curl -s --unix-socket "$socket" --data-binary "cpu_load,cluster=fritz,hostname=f1,type=node value=1 $t0" http://x/api/write
export BARO_SERVER="$server"
# shellcheck disable=SC2120 # arguments pass through
grafana() {
    baro config grafana "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
}
ok "it writes a folder" grafana --url http://control:8091 "$SCRATCH/grafana"
is "and names each file" "$(sed "s|$SCRATCH/grafana/||" "$SCRATCH/out" | sort | tr '\n' ' ')" \
    "dashboards/barograph.json dashboards/file-system.json dashboards/file-systems.json dashboards/job.json dashboards/node.json provisioning/dashboards/barograph.yaml provisioning/datasources/barograph.yaml "
is "and what it found" "$(cut -d';' -f1 "$SCRATCH/err")" \
    "baro config grafana: 1 clusters (fritz), 1 file systems (scratch)"
is "variables begin with what is there" \
    "$(jq -c '[.templating.list[] | [.name, .current.value]]' "$SCRATCH/grafana/dashboards/job.json")" \
    '[["datasource","barograph"],["fs","scratch"],["job",null]]'
is "the data source is at the address that was given" "$(sed -n 's/^ *url: //p' "$SCRATCH"/grafana/provisioning/datasources/*.yaml)" http://control:8091
# shellcheck disable=SC2016
is "its token is one of Grafana's environment" "$(sed -n 's/^ *httpHeaderValue1: //p' "$SCRATCH"/grafana/provisioning/datasources/*.yaml)" 'Bearer $BARO_TOKEN'
is "dashboards are where they were written" "$(sed -n 's/^ *path: //p' "$SCRATCH"/grafana/provisioning/dashboards/*.yaml)" "$SCRATCH/grafana/dashboards"
ok "all are JSON" jq -e .uid "$SCRATCH"/grafana/dashboards/*.json
python3 -c 'import yaml' 2>/dev/null && ok "and YAML" python3 -c '
import sys, yaml
for name in sys.argv[1:]:
    assert yaml.safe_load(open(name))["apiVersion"] == 1' "$SCRATCH"/grafana/provisioning/*/*.yaml
ok "once more changes nothing else" grafana --url http://control:8091 --postgresql db.example/baro "$SCRATCH/grafana"
is "with PostgreSQL there is another data source" \
    "$(sed -n 's/^ *\(url\|database\|user\): //p' "$SCRATCH/grafana/provisioning/datasources/barograph-postgresql.yaml" | tr '\n' ' ')" \
    "db.example:5432 grafana baro "
is "and three dashboards more" "$(find "$SCRATCH/grafana/dashboards" -name '*-postgresql.json' | wc -l)" 3
ok "a socket is no address for Grafana" not grafana "$SCRATCH/other"
is "which is stated" "$(cat "$SCRATCH/err")" \
    "baro config grafana: Grafana does not reach barod at '$server': give its address with --url, such as http://control:8091"
ok "nor is what ends a line" not grafana --url "http://a
b" "$SCRATCH/other"
ok "without a barod it fails" not grafana --server unix:/nowhere --url http://control:8091 "$SCRATCH/other"
ok "and writes nothing" not test -e "$SCRATCH/other"
grafana
is "without a folder it is misused" "$?" 2
ok "barod ends" end_barod
finish
