#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Messages of a node's kernel are events of the session, about component and job, and health of parts:
# each once, also when the agent is killed, started again, and after another boot; what the kernel has
# overwritten and what is over a rule's rate is counted and said.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
requires jq curl
cd "$SCRATCH" || exit 1
at_exit 'kill $(cat "$SCRATCH/agent.pid") 2>/dev/null'

mkdir -p run root/dev root/proc/sys/kernel/random root/proc/4242
session() {
    printf '[session]\nsize = 2\naddress = unix:%s/run/%%r.sock\nrank = %s\nheartbeat = 500ms\nperiod = 200ms\nlead = 50ms\ndeadline = 150ms\nevent_rate = 1000\nevent_burst = %s\nstate = %s/session%s\n' \
        "$SCRATCH" "$1" "${burst:-1000}" "$SCRATCH" "$1"
}
roles_start "[resource]
host = alex/a1
$(session 0)"
token node --role agent --host a1 --cluster alex
chmod 600 reader support node admin
as() { # TOKEN ARGUMENTS
    as_token=$1
    shift
    baro "$@" --server "$url" --token-file "$SCRATCH/$as_token"
}
conf() {
    printf '[agent]\nsource = none\nroot = %s/root\nserver = %s\ntoken_file = %s/node\nstate = %s/state\nspool = %s/spool\nhost = a1\ncluster = alex\nmetrics_listen = unix:%s/agent.sock\n[node]\ninterval = 200ms\nflush_interval = 0s\nkernel_rules = %s\n' \
        "$SCRATCH" "$url" "$SCRATCH" "$SCRATCH" "$SCRATCH" "$SCRATCH" "${rules:-$TOP/etc/kernel-rules.conf}"
    [ -n "${alone-}" ] || session 1
}
start_agent() {
    conf >agent.conf
    baro-agent --config agent.conf 2>>agent.log &
    echo $! >agent.pid
}
stop_agent() { # SIGNAL
    kill "-$1" "$(cat agent.pid)"
    wait "$(cat agent.pid)" 2>/dev/null
}
sequence=0
kernel() { # TEXT: as the kernel writes it
    echo "${prefix:-4},$sequence,$((sequence * 1000)),-;$1" >>root/dev/kmsg
    sequence=$((sequence + 1))
}
boot() { # ID
    echo "$1" >root/proc/sys/kernel/random/boot_id
    : >root/dev/kmsg
    sequence=0
}
events() { # NAME: their payloads
    as support event list --limit 1000 -o json 2>/dev/null | jq -r ".[] | select(.name == \"kernel.$1\") | .payload"
}
is_count() { [ "$(events "$1" | wc -l)" -eq "$2" ]; }
field() { # NAME FIELDS
    events "$1" | tail -n 1 | jq -r "[$2] | join(\" \")"
}
counter() {
    curl -s --unix-socket agent.sock http://x/metrics | awk -v n="baro_agent_sampling_$1" '$1 == n { print $2 }'
}
is_counter() { [ "$(counter "$1")" = "$2" ]; }
state() { # COMPONENT: health and reason
    as reader resource list -p -o json "$1" | jq -r --arg c "$1" '.[] | select(.component == $c) | .health + " " + (.reason // "-")'
}
is_state() { [ "$(state "$1")" = "$2" ]; }
oom() { # JOB
    kernel "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0,oom_memcg=/system.slice/slurmstepd.scope/job_$1,task_memcg=/system.slice/slurmstepd.scope/job_$1/step_0/user/task_0,task=python3,pid=77,uid=1000"
}

# ---- events ----
boot 11111111-1111-1111-1111-111111111111
kernel "Linux version 6.1.0"
oom 4711
ok "an agent starts" start_agent
ok "what the kernel wrote before its start is an event" wait_for 20 is_count oom_kill 1
is "about node and job" "$(field oom_kill .severity,.class,.component,.job,.message)" \
    "error application alex/a1 4711 11111111-1111-1111-1111-111111111111:1"
is "published by that node" "$(as support event list --limit 1000 -o json | jq -r '.[] | select(.name == "kernel.oom_kill") | .host')" rank1
echo '0::/system.slice/slurmstepd.scope/job_12/step_0/user/task_0' >root/proc/4242/cgroup
echo '4242 (py) thon) S 1 1 1 0 -1 4194304 1 1 1 1 1 1 1 1 20 0 1 0 0 1 1' >root/proc/4242/stat
kernel "NVRM: Xid (PCI:0000:3b:00): 31, pid=4242, name=python, Ch 00000010, intr 10000000."
ok "an Xid of a program" wait_for 20 is_count xid_application 1
is "is the application's, of GPU and job" "$(field xid_application .class,.component,.job)" "application alex/a1/gpu:0000:3b:00 12"
kernel "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
ok "an Xid of the hardware" wait_for 20 is_count xid_down 1
is "is the hardware's" "$(field xid_down .class)" hardware
gpu=alex/a1/gpu:0000:3b:00
fallen="kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
ok "and the GPU's health" wait_for 20 is_state "$gpu" "down $fallen"
prefix=12
oom 13
prefix=4
ok "what a program wrote there is passed over" eval 'oom 14 && wait_for 20 is_count oom_kill 2'
is "the kernel's own is not" "$(field oom_kill .job)" 14

# ---- each once ----
ok "it has stored how far it is" wait_for 10 grep -qx "next $sequence" state/kernel.messages
stop_agent KILL
oom 15
ok "after kill -9" start_agent
ok "what came meanwhile is an event" wait_for 20 is_count oom_kill 3
is "what came before is no event again" "$(events xid_down | wc -l) $(field oom_kill .job)" "1 15"
ok "health stands" is_state "$gpu" "down $fallen"
stop_agent TERM
ok "and after an orderly end" start_agent
oom 16
ok "only what is new" wait_for 20 is_count oom_kill 4

# ---- what is lost, what is too much ----
sequence=$((sequence + 5))
oom 17
ok "what was overwritten is counted" wait_for 20 is_counter kernel_messages_lost_total 5
ok "and said" wait_for 10 grep -q "5 were overwritten before they were read" agent.log
ok "the one behind it is there" wait_for 20 is_count oom_kill 5
for n in $(seq 100); do
    oom "$n"
done
ok "a storm is held back, and counted" wait_for 20 eval '[ "$(counter kernel_messages_held_back_total)" -ge 70 ]'
held=$(counter kernel_messages_held_back_total)
is "each is an event or held back" "$(($(events oom_kill | wc -l) + held))" 105

# ---- another boot ----
stop_agent TERM
boot 22222222-2222-2222-2222-222222222222
oom 99
ok "after another boot" start_agent
ok "its messages begin anew" wait_for 20 eval '[ "$(field oom_kill .message)" = 22222222-2222-2222-2222-222222222222:0 ]'
ok "and what the last boot's stated stands against nothing" wait_for 20 is_state "$gpu" "up -"

# ---- the session takes few: nothing is lost ----
stop_agent TERM
burst=3
count=$(events disk_error | wc -l)
is "none yet" "$count" 0
ok "an agent that may publish three at once" start_agent
for n in $(seq 10); do
    kernel "I/O error, dev sd$n, sector 2056 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2"
done
ok "all of them arrive" wait_for 30 is_count disk_error 10
is "in order, each once" "$(events disk_error | jq -r .component | tr '\n' ' ')" "$(seq -f 'alex/a1/disk:sd%g' 10 | tr '\n' ' ')"
stop_agent TERM

# ---- no session: in the log ----
alone=yes
start_agent
kernel "mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 7: be00000000800400"
ok "without a session it is logged" wait_for 20 grep -q "kernel.mce_uncorrected: alex/a1/cpu:12: mce: .Hardware Error" agent.log
ok "and its health is stated" wait_for 20 eval 'state alex/a1/cpu:12 | grep -q "^degraded kernel: mce"'
stop_agent TERM

# ---- what is wrong ----
printf '[rule a]\nmatch = (\n' >bad.conf
rules=bad.conf
conf >agent.conf
ok "a rule that is none is refused by file, line and value" eval '! baro-agent --config agent.conf 2>err && grep -q "bad.conf:2: match of rule .a.: .(. " err'
rules=
rm root/dev/kmsg
ok "without the kernel's messages the agent runs" start_agent
ok "and says what it wants" wait_for 10 grep -q "messages of the kernel are not read .*/dev/kmsg: No such file.*CAP_SYSLOG" agent.log
ok "it runs" kill -0 "$(cat agent.pid)"
stop_agent TERM
for log in *.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
