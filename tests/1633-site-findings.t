#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Findings that a site writes itself: on the page of a running barod, over REST the same
# bytes, silent while they are on trial; what is not known is not claimed; tried on its
# jobs; a configuration that is wrong is refused with its line.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$(dirname "$0")/lib-barod.sh"
requires jq curl
cd "$SCRATCH" || exit 1

barod_conf cpu_load
cat >rules.conf <<'CONF'
[finding many-cpus]
condition = cpu_share < 20% and cpus * run_time > 10h
sentence = {user} had {cpus} CPUs for {run_time} and used {cpu_share} of them
advice = Ask for fewer.
link = https://docs.example.org/cpus?a=1&b=<2
severity = error
state = active
tried = 3 of 40

[finding on-trial]
condition = run_time > 1min
sentence = it ran {run_time}
state = trial

[finding busy]
condition = node.cpu_load.median > 60 and not found.idle_node
sentence = its nodes had a load of {node.cpu_load.median}
severity = info
state = active

[finding no-idle]
condition = node.cpu_load.median > 60
sentence = its nodes had a load of {node.cpu_load.median}
severity = info
state = active

[finding by-script]
condition = application = "Chain" and starts(user, "a")
sentence = {application} of {user}: {job_name}
state = active

[application chain]
title = Chain
job_name = chain_*
CONF
sed 's/^link = .*/link = https:\/\/docs.example.org\/cpus?a=1\&b=2/' rules.conf >good.conf
is "an address with other signs is refused, with its line" "$(baro job findings rules.conf 2>&1; echo $?)" \
    "baro job findings: rules.conf:5: [finding many-cpus] link: an address of http:// or https:// is wanted
2"
cat good.conf >>barod.conf
is "the whole configuration is good" "$(baro job findings barod.conf -o json | jq -c '[.findings[].name]')" \
    '["many-cpus","on-trial","by-script","busy","no-idle"]'
ok "barod starts with them" start_barod
get() { curl -s --unix-socket "$SCRATCH/sock" "http://x$1"; }
show() { baro job show --server "$server" "$@"; }

now=$(date +%s)
start=$((now - 8000)) end=$((now - 800))
cat >sacct.txt <<END
JobID|Cluster|State|Start|End|NNodes|NodeList|User|Account|AllocTRES|TotalCPU|JobName
601|nova|COMPLETED|$start|$end|4|c[01-04]|ann|physics|cpu=64,mem=64G,node=4|01:00:00|chain_7.sh
602|nova|COMPLETED|$start|$end|4|c[11-14]|bob|physics|cpu=64,mem=64G,node=4|5-00:00:00|chain_8.sh
603|nova|COMPLETED|$start|$end|1|d01|ann|physics|||gmx
604|nova|RUNNING|$start|Unknown|4|c[01-04]|ann|physics|cpu=64||chain_9.sh
END
awk -v start="$start" -v end="$end" 'BEGIN { for (t = start; t < end; t += 60) for (n = 1; n <= 4; n++) {
    printf "cpu_load,cluster=nova,hostname=c0%d,type=node value=%g %d\n", n, 70, t
} }' >metrics.lp
is "metrics are stored" "$(curl -s -o out -w '%{http_code}' --unix-socket sock --data-binary @metrics.lp \
    'http://x/api/write?cluster=nova'; cat out)" 200
is "jobs are known" "$(baro job import --server "$server" sacct.txt 2>&1)" \
    "baro job import: 4 new, 0 changed, 0 known, 0 refused"

# ---- on the page ----
show 601 >page
ok "the sentence of a finding has the job's values" \
    grep -q 'ann had 64 CPUs for 2 h and used 0.781 % of them' page
ok "with advice" grep -q 'Ask for fewer' page
ok "of how many past jobs it was made, and that no more is known, is on it" \
    grep -q 'False alarms: not measured; on trial 3 of 40 past jobs had it$' page
is "likewise in JSON" "$(show 601 -o json | jq -c '[.site_findings[] | [.tried, .false_alarms]]')" \
    '[[{"made":3,"jobs":40},null],[null,null],[null,null]]'
ok "and in HTML" sh -c "get() { baro job show --server '$server' 601 -o html; }; get | grep -q 'on trial 3 of 40 past jobs'"
ok "and link" grep -q 'https://docs.example.org/cpus?a=1&b=2' page
is "the most severe is the first sentence where nothing else is" \
    "$(show 601 -o json | jq -r .sentence)" \
    "many-cpus: ann had 64 CPUs for 2 h and used 0.781 % of them."
is "those that are active are in JSON, the most severe first" \
    "$(show 601 -o json | jq -c '[.site_findings[] | [.name, .severity]]')" \
    '[["many-cpus","error"],["by-script","warning"],["no-idle","info"]]'
is "one on trial is silent everywhere" \
    "$({ show 601 && show 601 -o json && show 601 -o html && show 601 --line; } | grep -c on-trial)" 0
is "what found. is not known of makes no finding" "$(show 601 -o json | grep -c '"busy"')" 0
is "the line has its first sentence" "$(show 601 --line)" "$(show 601 -o json | jq -r .sentence)"
is "REST serves the same bytes" "$(get /v1/jobs/601 | cksum)" "$(show 601 -o json | cksum)"
is "as HTML too, and the link is a link" \
    "$(get /v1/jobs/601/page | grep -c "href='https://docs.example.org/cpus?a=1&amp;b=2'")" 1
is "of a job that used its CPUs none is made" "$(show 602 -o json | jq -c .site_findings)" '[]'
is "nor of one of which that is not known" "$(show 603 -o json | jq -c '[.application, .site_findings]')" '[null,[]]'
is "nor of the run time of a job that goes on" \
    "$(show 604 -o json | jq -c '[.site_findings[].name]')" '["by-script","no-idle"]'

# ---- the application ----
is "an application is recognised by what the site says, and names it" \
    "$(show 601 -o json | jq -c .application)" \
    '{"name":"Chain","by":{"job_name":{"value":"chain_7.sh","pattern":"chain_*"}}}'
ok "on the page too" grep -qF "Application: Chain, by the job's name chain_7.sh." page
is "a job's name alone is no evidence of what is built in" "$(show 603 -o json | jq .application)" null

# ---- tried ----
values() { get "/v1/jobs/$1?format=values"; }
is "values have what is known and nothing else" \
    "$(values 603 | jq -c '[.user, .run_time, has("cpus"), has("cpu_share"), .job_name]')" \
    '["ann",7200,false,false,"gmx"]'
is "values of nodes, too" "$(values 601 | jq -c '.["node.cpu_load.median"]')" 70
baro job findings good.conf --try --server "$server" -o json >trial 2>errors
is "each is tried on all jobs, whatever its state" \
    "$(jq -c '[.jobs, (.findings[] | [.name, .made, .not_made, .unknown])]' trial)" \
    '[4,["many-cpus",1,1,2],["on-trial",3,0,1],["by-script",2,1,1],["busy",0,0,4],["no-idle",2,0,2]]'
is "the worst comes first" "$(jq -c '[.findings[1].worst[].job]' trial)" '["nova/601","nova/602","nova/603"]'
is "only so many as are requested" \
    "$(baro job findings good.conf --try --server "$server" --limit 1 | sed -n '/^on-trial/,/^$/p')" \
    "on-trial (trial): 3 of 4 jobs, 75 %; of 1 not known
  alone (3)
  tried = 3 of 4
  nova/601: it ran 2 h
  and 2 more (--limit)"
is "only of a user" "$(baro job findings good.conf --try --server "$server" --user bob | head -n 1)" \
    "Tried on 1 jobs."
is "only of a cluster" \
    "$(for cluster in nova other; do baro job findings good.conf --try --server "$server" --cluster $cluster | head -n 1; done)" \
    "Tried on 4 jobs.
Tried on 0 jobs."
is "only of the last hours" \
    "$(baro job findings good.conf --try --server "$server" --to "@$((start - 10))" --last 1h | head -n 1)" "Tried on 0 jobs."
is "only of a window" \
    "$(baro job findings good.conf --try --server "$server" --from "@$((start - 9000))" --to "@$((start - 10))" | head -n 1)" \
    "Tried on 0 jobs."
is "a progress line is for a terminal only" "$(cat errors)" ""

# ---- a configuration that is wrong ----
refuse() { # NAME CONDITION SENTENCE WANTED
    printf '[finding x]\ncondition = %s\nsentence = %s\n' "$2" "$3" >wrong.conf
    is "refused: $1" "$(baro job findings wrong.conf 2>&1 | grep -cF -- "$4")" 1
}
refuse "a name that is none" 'raed > 1GiB' x "wrong.conf:2: [finding x] condition: column 1: there is no value 'raed'"
refuse "with one that is near" 'server_raed > 1GiB' x "did you mean 'server_read'?"
refuse "a number without its unit" 'server_read > 1000' x "bytes and a plain number are not of one kind"
refuse "seconds against bytes" 'run_time > 1GiB' x "s and bytes are not of one kind"
refuse "a number for a condition" 'server_read' x "a comparison is wanted"
refuse "a value for a condition" 'server_read and cpus > 1' x "a condition expected, this is bytes"
refuse "a value of the sentence that is none" 'cpus > 1' 'has {cpsu}' "wrong.conf:3: [finding x] sentence: column 1: there is no value 'cpsu'"
refuse "a brace that is open" 'cpus > 1' 'has {cpus' "a { has no }"
refuse "a metric's figure that is none" 'node.cpu_load.mean > 1' x "there is no value 'node.cpu_load.mean'"
refuse "a formula that is too deep" "$(awk 'BEGIN { for (i = 0; i < 4000; i++) printf "(" }')" x "less deep"
refuse "no condition" '' x "wrong.conf:2: [finding x] condition: it is wanted"
printf '[finding x]\ncondition = cpus > 1\nsentence = x\nstate = on\n' >wrong.conf
is "a state that is none" "$(baro job findings wrong.conf 2>&1; echo $?)" \
    "baro job findings: wrong.conf:4: [finding x] state: value: invalid value 'on' (choose trial, active)
2"
printf '[application x]\nexecutable = **\n' >wrong.conf
is "a pattern of everything" "$(baro job findings wrong.conf 2>&1)" \
    "baro job findings: wrong.conf:2: [application x] executable: a pattern with a letter is wanted"
printf '[application x]\ntitle = X\n' >wrong.conf
is "an application without a pattern" "$(baro job findings wrong.conf 2>&1 | grep -c 'wrong.conf:1: .*a pattern is wanted')" 1
cat barod.conf - >whole.conf <<'CONF'
[finding late]
condition = nothing > 1
sentence = x
CONF
barod --check --config whole.conf --set net.socket="$SCRATCH/other" >out 2>&1
is "barod --check finds it, with its line" "$(grep -c "whole.conf:$(($(wc -l <barod.conf) + 2)): \[finding late\] condition: column 1" out)" 1
is "values are listed with their types" "$(baro job findings --values | grep -E '^(server_read|found.idle_node|log.small_share) ' | cut -c 1-62)" \
    "server_read                                    bytes          
log.small_share                                a share (%)    
found.idle_node                                a condition    "
is "for programs, too" "$(baro job findings --values -o json | jq -c '.[0]')" \
    '{"name":"user","type":"a text","help":"who submitted it"}'
is "what does not go together is a misuse" \
    "$(baro job findings 2>&1; baro job findings --values good.conf 2>&1; baro job findings good.conf a.darshan 2>&1; echo $?)" \
    "baro job findings: CONFIG is wanted: a file with [finding NAME]
baro job findings: --values: no CONFIG and no --try go with it
baro job findings: LOG: it needs --try
2"
finish
