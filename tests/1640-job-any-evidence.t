#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of a job out of any evidence: the batch system's record, metrics of its nodes,
# rows of jobstats, each alone and together; as JSON the same bytes as over REST.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl
cd "$SCRATCH" || exit 1

barod_conf cpu_load clock:MHz
# One that is stored between two requests would make their responses differ.
printf '[barod]\nfootprints = none\n' >>barod.conf
ok "barod starts" start_barod
get() { curl -s --unix-socket "$SCRATCH/sock" "http://x$1"; }
show() { baro job show --server "$server" "$@"; }

# Eight nodes for an hour; the fourth computes nothing, and another job's are all well.
now=$(date +%s)
start=$((now - 4000)) end=$((now - 400))
cat >sacct.txt <<END
JobID|Cluster|State|Start|End|NNodes|NodeList|User|Account
501|nova|COMPLETED|$start|$end|8|c[01-08]|ann|physics
502|nova|COMPLETED|$start|$end|8|c[11-18]|bob|physics
503|nova|COMPLETED|$start|$end|1|d01|eve|physics
504|nova|RUNNING|$start|Unknown|8|c[01-08]|ann|physics
END
awk -v start="$start" -v end="$end" 'BEGIN { for (t = start; t < end; t += 60)
    for (n = 1; n <= 18; n++) if (n <= 8 || n > 10) {
        printf "cpu_load,cluster=nova,hostname=c%02d,type=node value=%g %d\n", n, n == 4 ? 0.1 : 70 + (t + n) % 3, t
        printf "clock,cluster=nova,hostname=c%02d,type=node value=%g %d\n", n, 2400 + (t * n) % 40, t
    } }' >metrics.lp
is "metrics are stored" "$(curl -s -o out -w '%{http_code}' --unix-socket sock --data-binary @metrics.lp \
    'http://x/api/write?cluster=nova'; cat out)" 200
is "jobs are known" "$(baro job import --server "$server" sacct.txt 2>&1)" \
    "baro job import: 4 new, 0 changed, 0 known, 0 refused"

show 501 >page 2>errors
is "the page begins with who, when, and what matters most" "$(head -n 2 page)" \
    "Job 501 on nova, user ann, account physics, COMPLETED
Ran from $(date -u -d "@$start" +%FT%TZ) to $(date -u -d "@$end" +%FT%TZ) on c[01-08]."
is "the idle node is the first sentence" \
    "$(show 501 -o json | jq -c '[(.sentence | startswith("c04 did nothing from")), .findings[0].kind, .findings[0].nodes]')" \
    '[true,"idle-node","c04"]'
is "its cost is its part of the run at most" \
    "$(show 501 -o json | jq -c '.findings[0].cost | [.low_s, .high_s == ('"$end - $start"' + 1) / 8]')" '[0,true]'
ok "what to do is said with a command" grep -q -- '--nodes=8' page
is "each metric has its median over the nodes, and both ends" \
    "$(show 501 -o json | jq -c '.nodes | [.hosts, .observed, (.metrics | map(.name)), .metrics[1].lowest]')" \
    '[8,8,["clock","cpu_load"],"c04"]'
is "of a job without trouble nothing stands out" "$(show 502 -o json | jq -c '[.sentence, .findings]')" \
    '["Nothing stands out in metrics of its nodes.",[]]'
is "of a job with a record alone that is said" "$(show 503 -o json | jq -r .sentence)" \
    "Only the batch system's record is known of it."
ok "and why not more" sh -c "baro job show --server $server 503 | grep -q 'the store has no metrics'"
is "a job that runs is read until now" "$(show 504 -o json | jq -c '[.job.end, .nodes.observed]')" '[null,8]'

for id in 501 502 503; do
    is "JSON of job $id is what REST serves, byte for byte" \
        "$(show "$id" -o json | cksum)" "$(get "/v1/jobs/$id" | cksum)"
done
is "CLUSTER/ID is the job of that cluster" "$(show nova/501 -o json | cksum)" "$(get '/v1/jobs/501?cluster=nova' | cksum)"
is "of another cluster there is none" "$(show other/501 2>&1 | grep -c 'nothing is known of a job 501 on cluster other')" 1
is "a line is the first sentence" "$(show --line 502)" "Nothing stands out in metrics of its nodes."
is "where nothing is known it is said what was looked for" \
    "$(show 999 2>&1 | tr '\n' ' ' | grep -c "no run ('baro job import --server'), no rows of jobstats")" 1
is "a form that is none is refused" "$(show 501 -o xml 2>&1; echo $?)" \
    "baro job show: --output: invalid value 'xml' (choose text, json, html)
2"
is "so it is over REST" "$(curl -s -o /dev/null -w '%{http_code}' --unix-socket sock 'http://x/v1/jobs/501?format=xml')" 400
finish
