#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What jobs used of what they were given: out of sacct's text, JSON and a barod, the same.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl
cd "$SCRATCH" || exit 1

# An hour each on 4 CPUs: one idle, one busy, an array of which one element failed, one that runs
# and one of whose usage nothing is known.
t=$(($(date +%s) - 7200))
head="JobID|JobIDRaw|User|Account|Partition|Cluster|State|Submit|Start|End|NNodes|NodeList"
cat >sacct.txt <<END
$head|TimelimitRaw|AllocTRES|TotalCPU|TRESUsageInTot|MaxRSS|NTasks|ConsumedEnergyRaw|ExitCode|JobName
10|10|ann|phys|batch|alex|COMPLETED|$t|$t|$((t + 3600))|1|n1|120|cpu=4,mem=8G|00:24:00||||0|0:0|idle
10.batch|10.batch||phys||alex|COMPLETED|$t|$t|$((t + 3600))|1|n1||cpu=4|00:24:00|cpu=1,mem=2G|2G|1|0|0:0|batch
11|11|bob|chem|batch|alex|COMPLETED|$t|$t|$((t + 3600))|1|n2|61|cpu=4,mem=8G,gres/gpu=2|04:00:00||||7200000|0:0|busy
11.0|11.0||chem||alex|COMPLETED|$t|$t|$((t + 3600))|1|n2||cpu=4|04:00:00||6G|4||0:0|a.out
12_1|13|ann|phys|batch|alex|COMPLETED|$t|$t|$((t + 3600))|1|n3|60|cpu=4,mem=8G|02:00:00||||0|0:0|arr
12_2|14|ann|phys|batch|alex|FAILED|$t|$t|$((t + 3600))|1|n3|60|cpu=4,mem=8G|02:00:00||||0|1:0|arr
15|15|ann|phys|batch|alex|RUNNING|$t|$((t + 3600))|Unknown|1|n4|600|cpu=4,mem=8G|00:00:00||||0|0:0|on
16|16|cyd|phys|batch|alex|COMPLETED|$t|$t|$((t + 3600))|1|n5||||||||| old
END
usage() {
    baro job list --worst cpu -o json "$@"
}
pick='[.[] | [.job, .runs, .failed, .cpus, .gpus, .cpu, .memory, .time, .cpu_hours_unused, .energy]]'
usage sacct.txt >rows 2>notes
is "the worst is first, what is not known is null" "$(jq -c "$pick | .[]" rows)" \
    '["12",2,1,4,0,50,null,100,4,null]
["10",1,0,4,0,10,25,50,3.6,null]
["11",1,0,4,2,100,null,98.36065573770492,0,2]
["15",1,0,4,0,null,null,'"$(jq '.[] | select(.job == "15") | .time' rows)"',null,null]
["16",1,0,null,null,null,null,null,null,null]'
is "a run that goes on has hours, and no end" "$(jq -c '.[] | select(.job == "15") | [.hours >= 1, .end]' rows)" '[true,null]'
ok "notes have the sums, and what is not accounted" sh -c \
    'grep -q "5 jobs with 6 runs; they used 52 % of 16 CPU hours, and 2 kWh" notes && grep -q "of 1 jobs no CPU time" notes'
is "elements by themselves" "$(usage --tasks sacct.txt 2>/dev/null | jq -c '[.[].job]')" '["10","12_1","12_2","11","15","16"]'
is "one array" "$(usage --array 12 sacct.txt 2>/dev/null | jq -c '[.[].job]')" '["12"]'
is "one user, one node" "$(usage --user bob sacct.txt 2>/dev/null | jq -c '[.[].job]')$(usage --node n3 sacct.txt 2>/dev/null | jq -c '[.[].job]')" '["11"]["12"]'
is "by memory, energy and start" "$(for by in memory energy start; do baro job list -w $by -o json sacct.txt 2>/dev/null | jq -r '.[0].job'; done | tr '\n' ' ')" '10 11 15 '
usage --limit 2 sacct.txt >rows 2>notes
is "a limit cuts, and names that" "$(jq length rows) $(grep -c 'first 2 of 5' notes)" '2 1'
is "all" "$(usage --all --limit 2 sacct.txt 2>/dev/null | jq length)" 5
baro job list --worst colour sacct.txt >out 2>said
is "an order that is none is misuse" "$? $(grep -c 'choose cpu, memory' said)" '2 1'
BARO_SERVER='' baro job list --worst cpu >out 2>said
is "no file and no server is misuse" "$? $(cat said)" '2 baro job list: at least one FILE is wanted, or --server'
baro job list --worst cpu nowhere.txt >out 2>said
is "a file that is not there is a failure" "$? $(grep -c 'nowhere.txt' said)" '1 1'
echo "$head" >empty.txt
is "no job is no row, and no note" "$(usage empty.txt 2>&1 | tr -d '\n')" '[]'

# The same of a barod, by the command and by REST.
socket=$SCRATCH/barod.sock
cat >barod.conf <<END
[records]
path = $SCRATCH/r.db
[net]
socket = $socket
listen = none
END
ok "barod starts" start_barod
baro job import --server "unix:$socket" sacct.txt >/dev/null 2>&1
usage --server "unix:$socket" 2>/dev/null >served
is "of a barod the same rows" "$(jq -c "$pick" served | sed 's/\[.15.[^]]*\]/15/')" \
    "$(usage sacct.txt 2>/dev/null | jq -c "$pick" | sed 's/\[.15.[^]]*\]/15/')"
rest() {
    curl -s --unix-socket "$socket" "http://x/v1/jobs?worst=${2:-cpu}$1"
}
as_objects='. as $t | [.rows[] | . as $r | [range($t.columns | length)] | map({ ($t.columns[.].name): $r[.] }) | add]'
is "by REST the same rows" "$(rest '' | jq -c "$as_objects | $pick" | sed 's/\[.15.[^]]*\]/15/')" \
    "$(jq -c "$pick" served | sed 's/\[.15.[^]]*\]/15/')"
is "by REST an array's elements, a user, an order" \
    "$(rest '&array=12&tasks=true' | jq -c "$as_objects | [.[].job]")$(rest '&user=ann' start | jq -c "$as_objects | .[0].job")" '["12_1","12_2"]"15"'
is "a job list of an array" "$(baro job list --array 12 --server "unix:$socket" -o json | jq -c '[.[].job] | sort')" '["12_1","12_2"]'
for query in worst=colour 'worst=cpu&tasks=maybe' format=usage; do
    is "$query is refused with what is legal" \
        "$(curl -s -o said -w '%{http_code}' --unix-socket "$socket" "http://x/v1/jobs?$query") $(grep -c choose said)" '400 1'
done
for query in tasks=true 'tasks=true&format=json' 'worst=cpu&format=lines'; do
    is "$query alone is refused" \
        "$(curl -s -o said -w '%{http_code}' --unix-socket "$socket" "http://x/v1/jobs?$query") $(grep -c worst said)" '400 1'
done
for order in cpu memory energy start; do # user bob has no run that goes on: hours of one change each second
    is "by $order the JSON is byte for byte that of REST" \
        "$(baro job list --worst $order --user bob --server "unix:$socket" -o json 2>/dev/null | cksum)" \
        "$(rest '&user=bob&format=json' $order | cksum)"
done
baro job list --tasks sacct.txt >out 2>said
is "--tasks without an order is misuse" "$? $(cat said)" '2 baro job list: --tasks: it needs --worst'
# Read again from a database that an earlier list filled: nothing is lost by a shorter list.
cut -d '|' -f 1-12 sacct.txt >short.txt
baro job import --server "unix:$socket" short.txt >/dev/null 2>&1
is "a list with fewer columns removes nothing" "$(usage --server "unix:$socket" 2>/dev/null | jq -c "$pick" | sed 's/\[.15.[^]]*\]/15/')" \
    "$(jq -c "$pick" served | sed 's/\[.15.[^]]*\]/15/')"
ok "a job's page has both sentences" sh -c \
    "curl -s --unix-socket '$socket' 'http://x/v1/jobs/10?format=text' | tr '\n' ' ' | grep -q 'It was given 4 CPUs, 8.00 GiB of memory, no GPU and 2 h at most. It used 10 % of its CPU time, at most 2.00 GiB of memory (25 %) and 50 % of its time limit.'"
finish
