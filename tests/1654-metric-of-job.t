#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Metrics of a job: its nodes and its time are those of its record, on the command line and
# over REST; without a record it is refused, with what to do.
. "$(dirname "$0")/lib.sh"
requires curl jq
cd "$SCRATCH" || exit 1
server=unix:$SCRATCH/sock
cat >barod.conf <<'END'
[metric cpu_load]
step = 1m
[metric mem_used]
step = 1m
unit = GB
END
barod --config barod.conf --set "records.path=$SCRATCH/r.db" --set "net.socket=$SCRATCH/sock" \
    --set "store.directory=$SCRATCH/store" --set store.own_metrics=0s --set net.listen=none 2>barod.log &
barod=$!
at_exit "kill $barod; wait $barod"
wait_for 20 baro stats --server "$server"
query() { baro metric query --server "$server" --job "$@"; }
get() { curl -s -G --unix-socket sock http://x/v1/query "$@"; }

# Whole minutes: job 7 had n1 and n2 from the 10th to the 19th, its earlier run n3; the 7 of
# another cluster is another job.
now=$(($(date +%s) / 60 * 60)) begin=$(($(date +%s) / 60 * 60 - 6000))
cat >./jobs <<END
JobID|JobIDRaw|Cluster|State|Start|End|NNodes|NodeList
7|7|nova|NODE_FAIL|$begin|$((begin + 300))|1|n3
7|7|nova|COMPLETED|$((begin + 600))|$((begin + 1140))|2|n[1-2]
7|7|alex|COMPLETED|$begin|$((begin + 60))|1|a1
5_2|9|nova|RUNNING|$((now - 300))|Unknown|2|n[3,9]
8|8|nova|COMPLETED|$begin|$((begin + 60))|0|None assigned
10|10|nova|COMPLETED|$begin|$((begin + 60))|1|gone
END
baro job import --server "$server" jobs >out 2>&1
awk -v begin="$begin" -v now="$now" 'BEGIN { for (t = begin; t <= now; t += 60) for (n = 1; n <= 4; n++) {
        cluster = n == 4 ? "alex" : "nova"; host = n == 4 ? "a1" : "n" n
        printf "cpu_load,cluster=%s,hostname=%s,type=node value=%d %d\n", cluster, host, (t - begin) / 60 + 1000 * n, t
        printf "mem_used,cluster=%s,hostname=%s,type=node value=%d %d\n", cluster, host, n, t } }' >metrics.lp
is "metrics are stored" "$(curl -s -o out -w '%{http_code}' --unix-socket sock --data-binary @metrics.lp http://x/api/write; cat out)" 200

is "the last run's nodes, from its start to its end" \
    "$(query nova/7 cpu_load --statistics -o csv | tail -n +2 | cut -d, -f1,2,4-7)" \
    "nova/n1,cpu_load,10,1014.5,1010,1019
nova/n2,cpu_load,10,2014.5,2010,2019"
is "several metrics" "$(query nova/7 cpu_load,mem_used --statistics -o csv | tail -n +2 | cut -d, -f1,2 | sort -u | wc -l)" 4
is "of another cluster it is another job" "$(query alex/7 cpu_load --statistics -o csv | tail -n +2 | cut -d, -f1,4,6,7)" \
    "alex/a1,2,4000,4001"
is "an element of an array that runs is read until now, a node without metrics is named" \
    "$(get -d job=5_2 -d metric=cpu_load |
        jq -c '[.missing[0].name, (.results | map(.component)), (.results[0].values | length >= 5)]')" \
    '["n9",["nova/n3"],true]'
is "by either number" "$(query 9 cpu_load --statistics -o csv 2>said | tail -n 1 | cut -d, -f1; grep -c 'no host n9' said)" "nova/n3
1"
is "one result for all its nodes bears the job's name" \
    "$(query nova/7 mem_used --aggregate sum --statistics -o csv | tail -n 1 | cut -d, -f1,5)" "job nova/7,3"
is "REST has the same" "$(get -d job=nova/7 -d metric=cpu_load | jq -c '[.results[] | [.component, (.values | length), .values[0]]]')" \
    '[["nova/n1",10,1010],["nova/n2",10,2010]]'
is "the largest of them" "$(baro metric top --server "$server" --job nova/7 cpu_load -l 1 -o csv | tail -n 1 | cut -d, -f1)" nova/n2
is "a job without a record is refused, with what to do" "$(query 4711 cpu_load 2>&1; echo $?)" \
    "baro metric query: the server responds with 404: job 4711: no record of it is stored ('baro job import --server' does that); or name components, and a time
1"
is "so is one of unknown nodes" "$(get -d job=8 -d metric=cpu_load -o out -w '%{http_code}')" 404
is "and one whose nodes have no metrics" "$(get -d job=10 -d metric=cpu_load | jq -r .detail)" \
    "the store has no metrics of the job's nodes"
for other in component=nova/n1 from=-2h to=now last=1h; do
    is "a job and ${other%=*} are not both accepted" \
        "$(get -d job=7 -d metric=cpu_load -d "$other" | jq -r '[.status, (.detail | startswith("'"${other%=*}"': a job has its own nodes"))] | join(" ")')" "400 true"
done
is "an empty job is none" "$(get -d job= -d metric=cpu_load -o out -w '%{http_code}')" 400
finish
