#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a job's cgroups count and its programs submit stands on its page and in its footprint, and
# nothing of a job that shared its nodes: with Debian's Slurm and the kernel's own cgroups.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-slurm.sh"
requires jq curl python3
why=$(slurm_available) || skip_all "$why"
cgroup=/sys/fs/cgroup
for controller in memory cpuacct freezer; do
    { mkdir "$cgroup/$controller/baro-test" && rmdir "$cgroup/$controller/baro-test"; } 2>/dev/null ||
        skip_all "cgroups of version 1 cannot be made here ($controller)"
done
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2034 # of lib-slurm.sh
SLURM_CGROUPS=yes
slurm_start || {
    slurm_why | sed 's/^/# /'
    skip_all "no Slurm with cgroups could be started here"
}

chmod 755 "$SCRATCH" "$SLURM_DIR" # jobs run as their users

# ---- a barod, and an agent that sees one of Slurm's nodes ----
BARO_SERVER=unix:$SCRATCH/barod.sock BARO_AGENT=$SCRATCH/agent.sock
export BARO_SERVER BARO_AGENT
at_exit 'kill $(cat "$SCRATCH"/*.pid)'
mkdir -p "root$cgroup/memory" "root$cgroup/cpuacct" root/sys
ln -s /proc root/proc
for controller in memory cpuacct; do
    ln -s "$cgroup/$controller/slurm_slurm1" "root$cgroup/$controller/slurm_slurm1"
done
printf '[records]\npath = %s/r.db\n[barod]\nfootprint_delay = 0s\n[net]\nlisten = none\nsocket = %s/barod.sock\n[store]\ndirectory = %s/store\n' \
    "$SCRATCH" "$SCRATCH" "$SCRATCH" >barod.conf
printf '[agent]\nsource = none\nroot = %s/root\nserver = %s\nstate = %s/agent\nspool = %s/spool\nhost = slurm1\ncluster = weather\n' \
    "$SCRATCH" "$BARO_SERVER" "$SCRATCH" "$SCRATCH" >agent.conf
printf '[node]\nsource = load\nsource = jobs\ninterval = 500ms\nflush_interval = 500ms\nsocket = %s\n' "$BARO_AGENT" >>agent.conf
barod --config barod.conf 2>barod.log &
echo $! >barod.pid
ok "barod starts" wait_for 20 baro stats
baro-agent --config agent.conf 2>agent.log &
echo $! >agent.pid
ok "the agent has its socket" wait_for 10 test -S agent.sock

# ---- two users' jobs, on the same node ----
cat >work.py <<'END'
# Holds so many MB, and works until the file is there.
import os, sys, time
held = bytearray(int(sys.argv[1]) << 20)
for i in range(0, len(held), 4096):
    held[i] = 1
while not os.path.exists(sys.argv[2]):
    if sys.argv[3] == "idle":
        time.sleep(0.05)
END
job_script() { # NAME MB HOW METRIC VALUE
    printf '#!/bin/sh\n"%s" metric put --agent "%s" %s %s >said.%s 2>&1\n"%s" "%s/work.py" %s "%s/stop" %s\n' \
        "$(command -v baro)" "$BARO_AGENT" "$4" "$5" "$1" /usr/bin/python3 "$SCRATCH" "$2" "$SCRATCH" "$3" >"$1.job"
    chmod 755 "$1.job"
}
mkdir out && chmod 777 out
submit() { # NAME USER
    sbatch --parsable -w slurm1 -N1 -n1 --mem=40 -J "$1" --uid="$2" -D "$SCRATCH/out" "$SCRATCH/$1.job"
}
job_script busy 30 busy steps_per_s 4.25
job_script idle 10 idle residual 0.5
busy=$(submit busy daemon) idle=$(submit idle games)
last() { # METRIC JOB
    baro metric query "$1" "weather/slurm1/job:$2" --last 1m --output csv 2>/dev/null | sed -n '2,$s/.*,//p' | tail -n 1
}
at_least() { last "$1" "$2" | awk -v least="$3" '{ found = $1 >= least } END { exit !found }'; }
ok "the memory of the first is seen" wait_for 60 at_least job_mem_used "$busy" 31457280
ok "and of the second" wait_for 60 at_least job_mem_used "$idle" 10485760
ok "a program's number is its job's" wait_for 20 at_least app_steps_per_s "$busy" 4.25
ok "of the other job's program, too" wait_for 20 at_least app_residual "$idle" 0.5
ok "the first works" wait_for 20 at_least job_cpu_used "$busy" 20
is "one's number is not another's" "$(last app_residual "$busy")" ""

# ---- its page, while it runs ----
import() { sacct -a -X -P -o JobID,JobIDRaw,Cluster,User,State,Start,End,NNodes,NodeList,JobName,AllocTRES | baro job import - >imported 2>&1; }
is_recorded() { import && baro job show "$busy" >page 2>&1 && baro job show "$idle" >page2 2>&1; }
ok "the accounting has both" wait_for 60 is_recorded
has() { grep -Eq "^ +$1 " "$2"; }
for metric in job_cpu_used job_mem_used app_steps_per_s; do
    ok "$metric stands on the page" has $metric page
done
ok "the other job's number does not" eval '! grep -q app_residual page && grep -q app_residual page2 && ! grep -q app_steps page2'
value() { jq --arg m "$1" '.nodes.metrics[] | select(.name == $m) | .max' "$2"; }
baro job show "$busy" -o json >busy.json
baro job show "$idle" -o json >idle.json
is "memory is each one's own" "$(value job_mem_used busy.json | awk '{ print ($1 > 31457280 && $1 < 41943040) }') $(value job_mem_used idle.json | awk '{ print ($1 > 10485760 && $1 < 31457280) }')" "1 1"
# The other one's highest value is what its start needed.
mean() { jq --arg m "$1" '.nodes.metrics[] | select(.name == $m) | .avg' "$2"; }
is "so is the CPU" "$(value job_cpu_used busy.json | awk '{ print ($1 > 10 && $1 < 120) }') $(echo "$(mean job_cpu_used idle.json) $(mean job_cpu_used busy.json)" | awk '{ print ($1 < $2 / 2) }')" "1 1"
is "REST has the same page" "$(curl -s --unix-socket barod.sock "http://x/v1/jobs/$busy" | jq -c '[.nodes.metrics[].name] | sort')" \
    "$(jq -c '[.nodes.metrics[].name] | sort' busy.json)"

# ---- the same by a query ----
query() { baro metric query "$1" --job "$2" --statistics -o csv 2>&1 | tail -n 1; }
is "a query that names the job has its number" "$(query app_steps_per_s "$busy" | cut -d, -f1,2,6)" "weather/slurm1,app_steps_per_s,4.25"
ok "and none of the other's" eval '! baro metric query app_residual --job "$busy" --statistics -o csv 2>/dev/null | grep -q ",0.5"'

# ---- after its end ----
touch stop
slurm_idle
ended() { import && [ "$(curl -s --unix-socket barod.sock "http://x/v1/jobs/$busy" | jq '[.footprint.metrics[]?.name] | length')" -gt 0 ]; }
ok "its footprint is stored" wait_for 60 ended
footprint() { curl -s --unix-socket barod.sock "http://x/v1/jobs/$1" | jq -c '[.footprint.metrics[] | select(.name | test("^(job|app)_")) | .name] | sort'; }
is "with what was its own" "$(footprint "$busy")" '["app_steps_per_s","job_cpu_used","job_mem_used"]'
ok "and nothing of the other" eval '! footprint "$busy" | grep -q residual'
is "jobs are listed by it" "$(baro job list --server "$BARO_SERVER" --footprint app_steps_per_s:max -o csv | cut -d, -f2- | grep -c 4.25)" 1
is_listed() { baro job list --server "$BARO_SERVER" --footprint app_residual:max -o csv | grep -q ',0.5'; }
ok "so is the other's" wait_for 30 is_listed

# ---- the two, held against each other: neither has a log ----
baro job diff "$busy" "$idle" >differ 2>&1
ok "their difference names what is compared" grep -q "Compared are metrics of their nodes" differ
ok "and has what each used" grep -Eq '^ *[0-9]+\. job_cpu_used .* / [0-9]+' differ
is "for programs, in the columns of every difference" \
    "$(baro job diff "$busy" "$idle" -o csv | awk -F, 'NR == 1 || $1 == "job_cpu_used" { print $2, $4 }' | tr '\n' ' ')" "family kind metrics cause "
is "REST has the same bytes" "$(curl -s --unix-socket barod.sock "http://x/v1/diff?jobs=$busy,$idle&format=csv")" "$(baro job diff "$busy" "$idle" -o csv)"
finish
