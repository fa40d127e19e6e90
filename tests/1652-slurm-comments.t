#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real Slurm whose jobs get what they used as their AdminComment, in Princeton's form:
# a job with steps on two nodes, an array, jobs that were missed, and one with a comment
# of its own.  The comments are read back from sacct.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-slurm.sh"
requires jq curl python3 mariadb
why=$(slurm_available) || skip_all "$why"
cd "$SCRATCH" || exit 1
slurm_share || {
    slurm_why | sed 's/^/# /'
    skip_all "no Slurm could be started here"
}
barod_conf cpu_load mem_used:GB mem_total:GB
ok "barod starts" start_barod

submit() {
    sbatch --parsable -o /dev/null "$@" </dev/null
}
array=$(submit -J 'arr|pipe' --array=1-2 --wrap 'srun true')
steps=$(submit -J steps -N2 --wrap 'srun -N2 true; srun -N1 -n1 true')
own=$(submit --wrap true)
missed=$(submit -J 'two
lines' --wrap true)
ok "five runs end" slurm_settled 5
runs=$(submit --wrap 'sleep 600')
is_running() {
    [ "$(squeue -h -j "$runs" -o %T)" = RUNNING ]
}
ok "one runs" wait_for 60 is_running
sacctmgr -i modify job where "jobid=$own" set AdminComment="written by hand" >/dev/null

list() {
    SLURM_TIME_FORMAT=%s sacct -a -P --noconvert -o \
        JobID,JobIDRaw,Cluster,State,Start,End,NNodes,NodeList,AllocTRES,TotalCPU,TRESUsageInTot,NTasks,AdminComment,JobName
}
list >listed
# The jobs took a moment.  To barod each ran for an hour, one after another.
base=$(($(date +%s) / 3600 * 3600 - 80000))
awk -F '|' -v OFS='|' -v base="$base" 'NR > 1 && NF >= 14 && $6 != "Unknown" { job = $2; sub(/\..*/, "", job)
        if (!(job in n)) n[job] = count++
        $5 = base + n[job] * 5000; $6 = $5 + 3600 } { print }' listed >hours
ok "barod has the runs" baro job import --server "$server" hours
is "barod has the steps that Slurm counted" "$(baro job show --server "$server" -o json "$steps" |
    jq -c '[.steps[].step] | sort')" "$(sacct -n -P -j "$steps" -o JobID | sed -n 's/.*\.//p' | sort | jq -Rnc '[inputs]')"
is "so it has of an element of an array" "$(baro job show --server "$server" --step 0 "${array}_1" | head -n 1 | cut -d, -f 1)" \
    "Step 0 of job ${array}_1 on weather"
awk -v base="$base" 'BEGIN { for (t = base; t < base + 40000; t += 60) for (n = 1; n <= 3; n++) {
        tags = sprintf("cluster=weather,hostname=slurm%d,type=node", n)
        printf "cpu_load,%s value=%g %d\n", tags, n / 4, t
        printf "mem_used,%s value=%d %d\n", tags, n, t
        printf "mem_total,%s value=16 %d\n", tags, t } }' >metrics.lp
is "metrics are stored" "$(curl -s -o out -w '%{http_code}' --unix-socket sock --data-binary @metrics.lp \
    'http://x/api/write?cluster=weather'; cat out)" 200

baro job comment --missing --server "$server" listed >commands 2>said
is "every run that has ended and has none gets a command" \
    "$(sed 's/.*jobid=\([^ ]*\) .*/\1/' commands | sort)" "$(printf '%s\n' "${array}_1" "${array}_2" "$steps" "$missed" | sort)"
is "the others are counted" "$(cat said)" "baro job comment: 4 comments; 1 have one"
comment() {
    sacct -n -X -P -j "$1" -o AdminComment
}
sh commands >out 2>&1
# sacctmgr of some versions lowers the case of what it is given.
is "sacctmgr writes each run's own" \
    "$(for job in "${array}_1" "${array}_2" "$steps"; do comment "$job"; done | tr '[:upper:]' '[:lower:]')" \
    "$(for job in "${array}_1" "${array}_2" "$steps"; do baro job show --server "$server" --comment js1 "$job"; done |
        tr '[:upper:]' '[:lower:]')"
is "a comment of another stays" "$(comment "$own")" "written by hand"

# The same by the database, as after a night in which nothing was written.
sql() {
    mariadb --no-defaults -u root -S "$SLURM_DIR/sql" slurm_test "$@"
}
for job in "${array}_1" "${array}_2" "$steps" "$missed"; do
    sacctmgr -i modify job where "jobid=$job" set AdminComment= >/dev/null
done
list >listed
baro job comment --missing --form sql --server "$server" listed >statements 2>said
is "statements are printed for the same runs" "$(cut -c 1-35 statements | sort | uniq -c | tr -s ' ')" \
    ' 4 UPDATE `weather_job_table` SET admi'
ok "the database accepts them" sql <statements
reader() {
    comment "$2" | "$TOP/tests/job_comment/js1.py" "$1"
}
given() { # what sacct says of a job that had one or two nodes with one CPU each
    sacct -n -X -P -j "$1" -o NNodes,AllocCPUS | tr '|' ' '
}
is "an element of an array has its node" "$(reader nodes "${array}_1" | cut -d ' ' -f 1)" \
    "$(sacct -n -X -P -j "${array}_1" -o NodeList)"
is "its CPUs are what Slurm gave it" "1 $(reader nodes "${array}_1" | cut -d ' ' -f 2)" "$(given "${array}_1")"
is "elements of an array have comments of their own" \
    "$(for i in 1 2; do reader nodes "${array}_$i" | cut -d ' ' -f 1; done)" \
    "$(for i in 1 2; do sacct -n -X -P -j "${array}_$i" -o NodeList; done)"
is "a job with steps has its nodes once" "$(reader nodes "$steps" | cut -d ' ' -f 1)" \
    "$(scontrol show hostnames "$(sacct -n -X -P -j "$steps" -o NodeList)")"
is "a node's time is its load, its memory its own" "$(reader nodes "$steps" | awk '{ n = substr($1, 6)
        print $3 == n * 900 && $4 == n * 1000000000 && $5 == 16000000000 }' | sort -u)" 1
# The reader of PyPI, from this Slurm: averages over nodes, and each node.
if command -v reportseff >out; then
    shown() { # the whole job, then its nodes
        reportseff --no-color --node --format jobid,cpueff,memeff "$1" | sed '1d; s/^ *//; s/ *$//; s/  */ /g; /^$/d'
    }
    wanted() { # the same out of the comment
        reader nodes "$1" | awk -v job="$1" '{ cpu = 100 * $3 / ($2 * 3600); memory = 100 * $4 / $5; n++
            sum_cpu += cpu; sum_memory += memory; node[n] = sprintf("%s %.1f%% %.1f%%", $1, cpu, memory) }
            END { printf "%s %.1f%% %.1f%%\n", job, sum_cpu / n, sum_memory / n
                for (i = 1; n > 1 && i <= n; i++) print node[i] }'
    }
    for job in "$steps" "${array}_1" "${array}_2"; do
        is "reportseff reads the comment of $job" "$(shown "$job")" "$(wanted "$job")"
    done
else
    skip "reportseff reads the comments" "reportseff of PyPI is not installed"
fi
is "a job that was missed has one now" "$(reader job "$missed" | cut -d ' ' -f 1,2)" "3600 0"
is "the comment of another is as it was" "$(comment "$own")" "written by hand"
is "the running job has none" "$(comment "$runs")" ""
list >listed
is "then none is missing" "$(baro job comment --missing --server "$server" listed 2>&1)" \
    "baro job comment: 0 comments; 5 have one"

# The script that cron runs.
sql -e "UPDATE weather_job_table SET admin_comment = '' WHERE id_job = $missed"
scancel "$runs"
BARO_SERVER=$server BARO_COMMENT_SQL="mariadb --no-defaults -u root -S $SLURM_DIR/sql slurm_test" \
    sh "$TOP/etc/slurm-job-comments" >out 2>&1
is "the script fills in what is missing" "$? $(reader job "$missed") $(cat out)" "0 Short "
finish
