#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real Slurm with its accounting: what baro job list reads out of sacct is what sacct
# and scontrol say.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-slurm.sh"
requires jq
why=$(slurm_available) || skip_all "$why"
cd "$SCRATCH" || exit 1
slurm_share || {
    slurm_why | sed 's/^/# /'
    skip_all "no Slurm could be started here"
}

submit() {
    sbatch --parsable -o /dev/null "$@" </dev/null
}

# Eight runs: an array, steps on two nodes, a failure, a cancelled one, one that runs on,
# a sleeper on all nodes, and names that nobody should give.
array=$(submit -J "arr|pipe \"and\" 'quotes', \\n" --array=1-2 --wrap true)
broken=$(submit -J 'two
lines' --wrap true)
steps=$(submit -J steps -N2 --wrap 'srun -N2 true; srun -N1 -n1 true')
fails=$(submit -J fails --wrap 'exit 3')
slurm_settled 5 || echo "# not all jobs have ended"
wide=$(submit -J wide -N3 -n3 --wrap 'sleep 2')
cancelled=$(submit -J cancelled --wrap 'sleep 600')
runs=$(submit -J runs --wrap 'sleep 600')
pending=$(submit -J held --hold --wrap true)
is_running() {
    [ "$(squeue -h -j "$1" -o %T)" = RUNNING ]
}
ok "the sleepers run" wait_for 60 eval 'is_running "$cancelled" && is_running "$runs"'
scancel "$cancelled"
ok "the accounting knows seven ended runs" slurm_settled 7

sacct_as() {
    SLURM_TIME_FORMAT=%s sacct -a -D --noconvert -S 2000-01-01 "$@"
}
columns=JobID,JobIDRaw,User,Account,Partition,Cluster,State,Submit,Start,End,NNodes,NodeList
sacct_as -P -o "$columns,JobName" >text
is "sacct has steps" "$(grep -c "^$steps\\." text)" 3

baro job list text -o json >listed 2>said
is "every line is understood" "$(cat said)" ""
is "each run is a job, a step is none" "$(jq -r '.[].job' listed | sort -V | tr '\n' ' ')" \
    "$(sacct_as -X -n -P -o JobID | sort -V | tr '\n' ' ')"

# What sacct says of one field, against one key of ours.  A name with a line end takes two
# lines of sacct: that job is looked at on its own.
for pair in JobIDRaw:raw_id User:user Account:account Partition:partition Cluster:cluster \
    State:state NNodes:node_count NodeList:nodes; do
    is "${pair%:*} is what sacct says" \
        "$(jq -r --arg key "${pair#*:}" '.[] | "\(.job) \(.[$key])"' listed | sort)" \
        "$(sacct_as -X -n -P --delimiter=' ' -o "JobID,${pair%:*}" | sort)"
done
# Times in seconds and the node-hours that follow from them.
is "times are what sacct says" \
    "$(jq -r '.[] | [.job, (.submit, .start, .end | if . then (.[:19] + "Z" | fromdate) else
        "Unknown" end)] | join(" ")' listed | sort)" \
    "$(sacct_as -X -n -P --delimiter=' ' -o JobID,Submit,Start,End | sort)"
is "node-hours are sacct's seconds times its nodes" \
    "$(jq -r '.[] | select(.end) | "\(.job) \(.node_hours * 3600 | round)"' listed | sort)" \
    "$(sacct_as -X -n -P -o JobID,ElapsedRaw,NNodes,End |
        awk -F '|' '$4 != "Unknown" { print $1, $2 * $3 }' | sort)"
is "three nodes for as long as they slept" "$(jq --arg id "$wide" \
    '.[] | select(.job == $id) | .node_hours * 3600 >= 6' listed)" true

# scontrol does not speak of the accounting: it has its own record of each job.
for job in "$steps" "$wide" "$runs" "${array}_1"; do
    is "job $job is on the nodes that scontrol says" \
        "$(baro job list text --id "$job" --nodes -o json | jq -r '.[0].nodes' | tr , '\n')" \
        "$(scontrol show hostnames "$(scontrol -o show job "$job" |
            sed -n 's/.* NodeList=\([^ ]*\).*/\1/p')")"
    is "job $job started when scontrol says" \
        "$(baro job list text --id "$job" -o json | jq -r '.[0].start[:19] + "Z" | fromdate')" \
        "$(SLURM_TIME_FORMAT=%s scontrol -o show job "$job" |
            sed -n 's/.* StartTime=\([^ ]*\).*/\1/p')"
done
name_of() {
    jq -r --arg id "$1" '.[] | select(.job == $id) | .name' listed
}
is "a name holds the delimiter and quotes as Slurm keeps them" "$(name_of "${array}_2")" \
    "arr|pipe \`and\` 'quotes', \\x5Cn"
is "a name of two lines is one name" "$(name_of "$broken")" 'two\x0Alines'
is "the running job has no end" "$(jq -c --arg id "$runs" \
    '.[] | select(.job == $id) | [.state, .end, .node_hours]' listed)" '["RUNNING",null,null]'
is "a failed job says so" "$(jq -r --arg id "$fails" '.[] | select(.job == $id) | .state' listed)" FAILED

# The same out of JSON, whose names are whole.
sacct -a -D -S 2000-01-01 --json >json
facts='.[] | [.cluster, .job, .raw_id, .user, .account, .partition, .submit, .start, .end,
    .node_count, .node_hours, .nodes, .name, (.state | split(" ")[0])]'
# What a run was given and used: two forms of one accounting give the same numbers.
sacct_as -P -o "$columns,TimelimitRaw,AllocTRES,ReqTRES,TotalCPU,TRESUsageInTot,TRESUsageInMax,NTasks,ExitCode,JobName" |
    baro job import - >given.text 2>said
sacct -a -D -S 2000-01-01 --json | baro job import - >given.json 2>>said
given() {
    jq -rS --arg id "$steps" 'select(.id == $id or .id == "'"$wide"'") |
        [.id, .cpus, .gpus, .time_limit_s, .cpu_time_ms, .memory_peak_bytes, .task_memory_peak_bytes, .exit_status] |
        map(tostring) | join(" ")' "$1" | sort
}
is "what runs were given and used is the same in sacct's text and JSON" "$(given given.text)" "$(given given.json)"
is "CPUs are those that sacct allocated" "$(jq -r 'select(.end) | "\(.id) \(.cpus)"' given.text | sort)" \
    "$(sacct_as -X -n -P --delimiter=' ' -o JobID,AllocCPUS,End | awk '$3 != "Unknown" { print $1, $2 }' | sort)"
is "CPU time is sacct's, of runs that ended" \
    "$(jq -r 'select(.end) | "\(.id) \(.cpu_time_ms)"' given.text | sort)" \
    "$(sacct_as -X -n -P --delimiter=' ' -o JobID,TotalCPU,End | awk '$3 != "Unknown" {
        n = split($2, part, ":"); t = 0
        for (i = 1; i <= n; i++) t = t * 60 + part[i]
        printf "%s %.0f\n", $1, t * 1000 }' | sort)"
is "sacct --json says what its text says" "$(baro job list json -o json | jq -c "$facts" | sort)" \
    "$(jq -c "$facts" listed | sort)"
squeue --json >queue
is "squeue --json knows the job that waits, and no end of the one that runs" \
    "$(baro job list queue -o json | jq -c --arg runs "$runs" --arg held "$pending" \
        '.[] | select(.job == $runs or .job == $held) | [.state, .start == null, .end]' | sort)" \
    '["PENDING",true,null]
["RUNNING",false,null]'

scancel "$runs" "$pending"
finish
