#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs of a job submit numbers of their job and events to the agent of their node: whose they are
# is what the kernel states, a user's share is hers alone, and what is accepted arrives also when barod
# was away.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires jq python3

cd "$SCRATCH" || exit 1
chmod 755 "$SCRATCH"
mkdir -p run root/proc
BARO_SERVER=unix:$SCRATCH/barod.sock
BARO_AGENT=$SCRATCH/agent.sock
export BARO_SERVER BARO_AGENT
at_exit 'kill $(cat "$SCRATCH"/*.pid)'
session() { # RANK
    printf '[session]\nsize = 2\naddress = unix:%s/run/%%r.sock\nrank = %s\nheartbeat = 500ms\nperiod = 1s\nlead = 300ms\ndeadline = 900ms\nstate = %s/state\n' \
        "$SCRATCH" "$1" "$SCRATCH"
}
{
    printf '[records]\npath = %s/r.db\n[net]\nlisten = none\nsocket = %s/barod.sock\n[store]\ndirectory = %s/store\n' \
        "$SCRATCH" "$SCRATCH" "$SCRATCH"
    session 0
} >barod.conf
{
    printf '[agent]\nsource = none\nroot = %s/root\nserver = %s\nstate = %s/agent\nspool = %s/spool\nhost = n1\ncluster = emmy\nbackoff_max = 1s\nmetrics = %s/counters\n' \
        "$SCRATCH" "$BARO_SERVER" "$SCRATCH" "$SCRATCH" "$SCRATCH"
    printf 'metrics_listen = unix:%s/metrics.sock\n' "$SCRATCH"
    printf '[node]\nsocket = %s\nflush_interval = 0s\n' "$BARO_AGENT"
    session 1
} >agent.conf
start_barod() {
    barod --config barod.conf 2>>barod.log &
    echo $! >barod.pid
    wait_for 10 baro stats
}
start_agent() {
    baro-agent --config agent.conf 2>>agent.log &
    echo $! >agent.pid
    wait_for 10 test -S agent.sock
}
# As a process of that job: its cgroup in the /proc that the agent reads.
in_job() { # JOB COMMAND...
    job=$1
    shift
    # shellcheck disable=SC2016
    sh -c 'mkdir -p root/proc/$$ && echo "0::/system.slice/slurmstepd.scope/job_$0/step_0/user/task_0" >root/proc/$$/cgroup && exec "$@"' \
        "$job" "$@"
}
out_of_job() { # COMMAND...
    # shellcheck disable=SC2016
    sh -c 'mkdir -p root/proc/$$ && echo "0::/user.slice/user-0.slice" >root/proc/$$/cgroup && exec "$@"' sh "$@"
}
value() { # METRIC JOB
    baro metric query "$1" "emmy/n1/job:$2" --last 1m --output csv 2>/dev/null | tail -n 1 | sed 's/.*,//'
}
is_value() { [ "$(value "$1" "$2")" = "$3" ]; }

ok "barod starts" start_barod
ok "the agent has its socket" start_agent
is "every user may connect" "$(stat -c %a agent.sock)" 666

# ---- metrics ----
ok "a job's script submits two numbers" in_job 4711 baro metric put steps_per_s 4.25 residual 2.5e-7
ok "one is a metric of its job on its node" wait_for 10 is_value app_steps_per_s 4711 4.25
ok "so is the other" wait_for 5 is_value app_residual 4711 2.5e-07
ok "another job's is another's" in_job 12 baro metric put steps_per_s 7
ok "and beside it" wait_for 10 is_value app_steps_per_s 12 7
is "the first job's stands" "$(value app_steps_per_s 4711)" 4.25
ok "outside of a job nothing is accepted" eval '! out_of_job baro metric put steps_per_s 1 2>err && grep -q "in no job of Slurm on this node" err'
ok "nor is a name that is none" eval '! in_job 12 baro metric put Steps 1 2>err && grep -q "a lower-case letter" err'
in_job 12 baro metric put steps fast 2>err
is "a value that is no number is misuse" "$? $(cat err)" \
    "2 baro metric put: 'fast' is not a finite number, the value of steps"
baro metric put steps 2>err
is "a name without its value, too" $? 2
ok "another cluster's or host's name cannot be chosen" eval '! in_job 12 baro metric put "s,hostname=n9" 1 2>err'
baro metric put --agent "$SCRATCH/none.sock" s 1 2>err
is "without an agent the remedy is stated" "$? $(grep -c 'node.socket in baro-agent.conf' err)" "1 1"

# ---- limits ----
# shellcheck disable=SC2034 # in eval
many=$(seq -f 's%g 1' 40 | tr '\n' ' ')
ok "a job has 32 metrics" eval '! in_job 99 baro metric put $many 2>err && grep -q "32 a job" err'
ok "those before the limit were accepted" wait_for 10 is_value app_s32 99 1
python3 - "$BARO_AGENT" >hostile <<'END'
# What comes from a program that means harm: the number of responses, then of connections that are left.
import socket, sys
def connect():
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])  # waits where as many wait already as may
    s.settimeout(20)
    return s
flood = connect()
flood.sendall(b"metric X 1\n" * 300)
got = b""
while got.count(b"\n") < 300:
    more = flood.recv(65536)
    if not more:
        break
    got += more
print(got.count(b"too many requests") > 150)
held = [connect() for _ in range(70)]
last = held[-1].recv(100)
print(b"too many connections" in last)
long = held[0]
long.sendall(b"x" * 5000)
try:
    print(b"too long" in long.recv(100) and long.recv(100) == b"")
except ConnectionResetError:  # after what it had not read
    print(True)
END
is "floods, connections without end and a line without one are refused, with a word" \
    "$(tr '\n' ' ' <hostile)" "True True True "
sleep 1
ok "the agent serves on" wait_for 15 in_job 4711 baro metric put steps_per_s 5
ok "and counts what it refused" eval 'curl -s --unix-socket metrics.sock http://x/metrics >counted && awk "/^baro_agent_sampling_submissions_refused_total/ && \$2 > 150 { found = 1 } END { exit !found }" counted && awk "/^baro_agent_sampling_submitters_turned_away_total/ && \$2 > 50 { found = 1 } END { exit !found }" counted'

# ---- events ----
online() { [ "$(baro session show -o json 2>/dev/null | jq -r '.[] | select(.state == "online") | .hosts')" = "rank[0-1]" ]; }
ok "the node is in the session" wait_for 10 online
event() { # NAME
    baro event list -o json | jq -r ".[] | select(.name == \"$1\") | [.host, .uid, .payload] | join(\" \")"
}
has_event() { [ "$(event "$1")" = "$2" ]; }
prefix=user.
[ "$(id -u)" -ne 0 ] || prefix=
ok "an event by the node's agent" baro event publish --agent "$BARO_AGENT" checkpoint.written "step=4000 of 9"
ok "is in the session, with its node and user" wait_for 5 has_event "${prefix}checkpoint.written" "rank1 $(id -u) step=4000 of 9"
ok "the session's own names are refused" eval '[ "$(id -u)" -ne 0 ] || ! baro event publish --agent "$BARO_AGENT" session.join 5 2>err'
if [ "$(id -u)" -eq 0 ]; then
    ok "another user's" setpriv --reuid 65534 --clear-groups "$(command -v baro)" event publish --agent "$BARO_AGENT" plugin.suspended x
    ok "has her number and cannot imitate a plugin's" wait_for 5 has_event user.plugin.suspended "rank1 65534 x"
    cat >flood.py <<'END'
import os, socket, sys
os.setgroups([])
os.setuid(65534)
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.settimeout(20)
s.sendall(b"event flood\n" * 90)
got = b""
while got.count(b"\n") < 90:
    got += s.recv(65536)
print(got.count(b"half of session.event_rate") > 0)
END
    is "events of users are half of the node's" "$(python3 flood.py "$BARO_AGENT")" True
    ok "the other half is the site's" baro event publish --agent "$BARO_AGENT" site.drained r01
else
    skip "another user's" "needs root"
    skip "has her number and cannot imitate a plugin's" "needs root"
    skip "events of users are half of the node's" "needs root"
    skip "the other half is the site's" "needs root"
fi

# ---- barod is away ----
kill -9 "$(cat barod.pid)"
wait "$(cat barod.pid)" 2>/dev/null
ok "accepted while barod is away" in_job 4711 baro metric put epoch 17
sleep 1.5
kill -9 "$(cat agent.pid)"
wait "$(cat agent.pid)" 2>/dev/null
ok "barod starts" start_barod
ok "an agent that was killed has its socket again" start_agent
ok "and sends what it had accepted" wait_for 15 is_value app_epoch 4711 17
kill "$(cat agent.pid)"
wait "$(cat agent.pid)"
ok "its end removes the socket" test ! -e agent.sock
finish
