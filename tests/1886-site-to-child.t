#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What comes from the site to a user's session while it runs, by the agent of its node: events of the node with the
# names that an administrator configured, and its health; from sessions in it what they report. Nothing of another
# node, another user or another name comes; an agent that is killed is watched again; who reads too slowly learns how
# much is lost.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires jq sqlite3 curl
[ "$(id -u)" -eq 0 ] || skip_all "two users are needed"
setpriv --reuid 65534 --clear-groups test -x "$BUILD/src/cmd/baro" || skip_all "other users cannot reach the build"
python=$(PATH=$(getconf PATH) command -v python3) || skip_all "no python3 of all users"
cd "$SCRATCH" || exit 1
chmod 755 "$SCRATCH"
as() { # UID COMMAND...
    as_uid=$1
    shift
    setpriv --reuid "$as_uid" --regid "$as_uid" --clear-groups "$@"
}
BARO_SERVER=unix:$SCRATCH/barod.sock
export BARO_SERVER
at_exit 'touch "$SCRATCH"/home/over*; kill -CONT $(cat "$SCRATCH"/*.pid); kill -9 $(cat "$SCRATCH"/*.pid); wait'

# ---- the site: barod, and two nodes with an agent each ----
session() { # RANK
    printf '[session]\nsize = 3\naddress = unix:%s/run/%%r.sock\nrank = %s\nheartbeat = 500ms\nperiod = 1s\nlead = 300ms\ndeadline = 900ms\nevent_rate = 100\nstate = %s/state\n' \
        "$SCRATCH" "$1" "$SCRATCH"
}
mkdir -p run root1/proc root2/proc
{
    printf '[records]\npath = %s/r.db\n[net]\nlisten = none\nsocket = %s/barod.sock\n[resource]\nhost = emmy/n[1-2]\nhost = alex/n1\n' \
        "$SCRATCH" "$SCRATCH"
    session 0
} >barod.conf
for node in 1 2; do
    {
        printf '[agent]\nsource = none\nroot = %s/root%s\nserver = %s\nstate = %s/agent%s\nspool = %s/spool%s\nhost = n%s\ncluster = emmy\n' \
            "$SCRATCH" $node "$BARO_SERVER" "$SCRATCH" $node "$SCRATCH" $node $node
        printf '[node]\nsocket = %s/agent%s.sock\njob_event = node.*\njob_event = user.*\n' "$SCRATCH" $node
        session $node
    } >agent$node.conf
done
start_agent() { # NODE
    baro-agent --config "agent$1.conf" 2>>"agent$1.log" &
    echo $! >"agent$1.pid"
}
barod --config barod.conf 2>barod.log &
echo $! >barod.pid
ok "barod starts" wait_for 10 baro stats
start_agent 1
start_agent 2
online() { [ "$(baro session show -o json 2>/dev/null | jq -r '.[] | select(.state == "online") | .hosts')" = "rank[0-2]" ]; }
ok "both agents are in the site's session" wait_for 20 online
publish() { # NODE NAME PAYLOAD: as root
    baro event publish --agent "$SCRATCH/agent$1.sock" "$2" "$3"
}
state() { # COMPONENT HEALTH REASON
    printf '{"component":"%s","source":"ping","health":"%s","reason":"%s"}\n' "$1" "$2" "$3" |
        curl -sf --unix-socket barod.sock -H 'Content-Type: application/x-ndjson' --data-binary @- http://x/v1/resources >posted
}

# ---- a user's session: she is in a job by what the kernel states of its node ----
mkdir -m 777 home
mkdir plugins
cat >plugins/ones.lua <<'END'
plugin { name = "ones", version = "1", reads = { "/proc/loadavg" }, events = { { "second", "warning" } }, health = { "solver" } }
local calls = 0
function source(t)
    calls = calls + 1
    if calls == 2 then
        event("second", "of the inner one")
        health("solver", "degraded", "residual")
    end
end
END
cat >home/command.sh <<END
#!/bin/sh
# command.sh NAME [inner]
[ -z "\$2" ] || baro session run --name inner --period 200ms --heartbeat 300ms --size 1 --plugins "$SCRATCH/plugins" \\
    --site-event 'ones.*' --quiet -- sh -c 'until [ -e "$SCRATCH/home/over.inner" ]; do sleep 0.1; done; exit 5' 2>"$SCRATCH/home/inner.err"
until [ -e "$SCRATCH/home/over.\$1" ]; do sleep 0.1; done
END
chmod 755 home/command.sh
start() { # NAME INNER OPTIONS...
    start_name=$1 start_inner=$2
    shift 2
    (exec setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$SCRATCH/home" XDG_DATA_HOME="$SCRATCH/home" \
        BARO_AGENT="$SCRATCH/agent1.sock" baro session run --name "$start_name" --period 300ms --heartbeat 400ms "$@" -- home/command.sh "$start_name" $start_inner) 2>"$start_name.err" &
    echo $! >"$start_name.pid"
}
data() { # NAME SQL
    sqlite3 -readonly -cmd '.timeout 10000' -separator ' ' "home/barograph/sessions/$1/session.db" "$2"
}
# Its first node: in the one /proc that agent 1 reads it is in the job, as its owner's.
node_of() { # NAME
    for node_pid in $(pgrep -P "$(cat "$1.pid")" | sort -n); do
        tr '\0' ' ' <"/proc/$node_pid/cmdline" | grep -q baro-session-node || continue
        echo "$node_pid" >"$1.node.pid"
        return 0
    done
    return 1
}
enter_job() { # PID UID
    mkdir "root1/proc/$1"
    echo '0::/system.slice/slurmstepd.scope/job_4711/step_0' >"root1/proc/$1/cgroup"
    chown "$2" "root1/proc/$1"
}
events() { # NAME PATTERN: how many
    data "$1" "SELECT count(*) FROM events WHERE name LIKE '$2'" 2>/dev/null
}
has() { # NAME PATTERN COUNT
    [ "$(events "$1" "$2")" = "$3" ]
}
payload() { # NAME EVENT: of the last
    data "$1" "SELECT payload FROM events WHERE name = '$2' ORDER BY incarnation, sequence DESC LIMIT 1"
}
start child "" --size 2 --spare 1
ok "her session has its node" wait_for 20 node_of child
ok "and its data" wait_for 20 has child session.join 3
publish 1 node.early "before the kernel stated that she is in a job"
cat >watch.py <<'END'
# watch.py SOCKET COUNT REQUEST: so many connections with the request; the responses, then what comes in three seconds.
import socket, sys, time
conns = []
for i in range(int(sys.argv[2])):
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    s.sendall(sys.argv[3].encode() + b"\n")
    conns.append(s)
    print(s.recv(4096).decode().split("\n")[0])
sys.stdout.flush()
end = time.time() + 3
while time.time() < end:
    for s in conns:
        s.settimeout(0.1)
        try:
            sys.stdout.write(s.recv(65536).decode())
        except OSError:
            pass
END
is "one of whom nothing states that she is in a job is refused" "$(as 1 "$python" watch.py agent1.sock 1 "watch node")" \
    "refused: the job of this process cannot be read from /proc"
state emmy/n1/dimm:2 degraded "12 errors"
enter_job "$(cat child.node.pid)" 65534

# ---- health: as it is, and as it changes ----
health() { data child "SELECT component, health, reason, said_by FROM health WHERE origin = 'site'"; }
is_health() { [ "$(health)" = "$1" ]; }
ok "she has the site's health of her node as it is" wait_for 20 is_health "emmy/n1 degraded 12 errors rank1"
state alex/n1 down "another cluster's"
state emmy/n2 down "another node's"
baro resource drain emmy/n1 --reason "board swap" >drained
ok "what an administrator drains comes within seconds" wait_for 8 is_health "emmy/n1 drained board swap rank1"
is "as an event that is marked, too" "$(payload child site.health | jq -c '[.health, .reason]')" '["drained","board swap"]'
is "a drained node works on: who drains lets jobs end" "$(events child session.replaced)" 0
baro resource resume emmy/n1 >resumed
ok "that it is resumed comes, too" wait_for 8 is_health "emmy/n1 degraded 12 errors rank1"
state emmy/n1 down "fan stands"
ok "a node that is down" wait_for 8 is_health "emmy/n1 down fan stands rank1"
replaced() { [ "$(payload child session.replaced | jq -r '[.lost, .spare, .reason] | join(" ")')" = "rank1 rank2 down: fan stands" ]; }
ok "is condemned: a spare works in its place" wait_for 8 replaced
state emmy/n1/dimm:2 up ""
state emmy/n1 up ""
ok "and well again" wait_for 8 is_health "emmy/n1 up  rank1"
is "each change is one event: five" "$(events child site.health)" 5

# ---- events ----
publish 1 node.low "17 GB free"
ok "an event of her node is in her session's data within seconds" wait_for 5 has child site.node.low 1
is "with its payload, whose it is and which" \
    "$(payload child site.node.low | jq -r '"\(.payload) \(.uid) \(.number | test("^[0-9]+[.][0-9]+$")) \(.t > 1600000000)"')" "17 GB free 0 true true"
is "what was published before she was in a job is not hers" "$(events child site.node.early)" 0
publish 2 node.foreign "of another node"
publish 1 other.low "a name that is in no list"
as 1 baro event publish --agent "$SCRATCH/agent1.sock" node.theirs "of another user"
as 65534 baro event publish --agent "$SCRATCH/agent1.sock" node.mine "her own"
publish 1 node.last "after them"
ok "what comes after them has come" wait_for 5 has child site.node.last 1
is "nothing of another node, name or user" "$(events child '%foreign') $(events child '%other%') $(events child '%theirs')" "0 0 0"
is "her own has" "$(events child site.user.node.mine)" 1

# ---- the agent is killed, and barod does not respond ----
kill -9 "$(cat agent1.pid)"
wait "$(cat agent1.pid)" 2>/dev/null
start_agent 1
ok "the agent, killed and started again, is in the session" wait_for 20 online
# How soon it is watched again is not known.
first_again() { [ "$(events child site.node.again)" -ge 1 ] || { publish 1 node.again x && sleep 1 && false; }; }
ok "it is watched again, without a word from her" wait_for 30 first_again
is "none came twice" "$(data child "SELECT count(*) - count(DISTINCT payload) FROM events WHERE name LIKE 'site.node.%'")" 0
is "nor did the health" "$(events child site.health)" 5
kill -STOP "$(cat barod.pid)"
publish 1 node.cut "while the site does not respond"
before=$(events child site.node.cut)
kill -CONT "$(cat barod.pid)"
ok "an event that waited for the site comes once it responds" wait_for 20 has child site.node.cut 1
is "and not before" "$before" 0

# ---- others ----
id=$(data child "SELECT value FROM session WHERE key = 'session'")
is "of one user eight may watch" "$(as 1 "$python" watch.py agent1.sock 9 "watch session $id" | sort | uniq -c | tr -s ' ')" \
    " 1 later: 8 of a user's programs watch in a job, and 32 of all
 8 ok"
is "what is no watch is refused" "$(as 1 "$python" watch.py agent1.sock 1 "watch everything" | cut -d: -f1)" "refused"
touch home/over.child
wait "$(cat child.pid)"
is "her session ends as ever" "$? $(grep -c 'site' child.err)" "0 1"
is "the one line is that no name of a cluster is set" "$(grep -c 'SLURM_CLUSTER_NAME is not set' child.err)" 1
is "what came from the site is none of her own events" "$(grep -c ', 0 events' child.err)" 1
counter() { # NAME
    : >agent1.log
    kill -USR1 "$(cat agent1.pid)"
    wait_for 5 grep -q "baro_agent_sampling_$1 " agent1.log
    sed -n "s/.*baro_agent_sampling_$1 //p" agent1.log
}
is "none watches any more" "$(counter watchers)" 0

# ---- a session in it ----
start outer inner --size 1
ok "a session with one in it" wait_for 20 has outer child.ones.second 1
inner=$(data inner "SELECT value FROM session WHERE key = 'session'")
is "the outer one has the event, and of which it is" "$(payload outer child.ones.second | jq -r '"\(.session) \(.sequence) \(.payload | fromjson | .text)"')" \
    "$inner 1 of the inner one"
has_solver() { [ "$(data outer "SELECT health, reason LIKE '%residual%' FROM health WHERE origin = '$inner'")" = "degraded 1" ]; }
ok "and what it states about its node, with its id as the origin" wait_for 10 has_solver
outer=$(data outer "SELECT value FROM session WHERE key = 'session'")
as 1 "$python" watch.py agent1.sock 1 "watch session $outer" >seen &
echo $! >seen.pid
sleep 1
touch home/over.inner
wait "$(cat seen.pid)"
is "another user sees nothing of it" "$(cat seen)" ok
ended() { [ "$(data outer "SELECT payload FROM events WHERE name = 'child.session'" | jq -r '.state' | tr '\n' ' ')" = "running ended " ]; }
ok "that it runs, and that it ended" wait_for 10 ended
touch home/over.outer
wait "$(cat outer.pid)"
is "none of it is the outer's own" "$(grep -c ', 0 events' outer.err)" 1
is "nor goes up as the outer's" "$(baro session show outer --events -o json | jq length)" 0

# ---- a flood, while it does not read ----
state emmy/n1 down "disk stands" # while none watches
start slow "" --size 1
ok "another session" wait_for 20 node_of slow
enter_job "$(cat slow.node.pid)" 65534
first_slow() { [ "$(events slow site.node.begin)" -ge 1 ] || { publish 1 node.begin x && sleep 1 && false; }; }
ok "watches" wait_for 30 first_slow
slow_down() { [ "$(payload slow site.health | jq -r '[.health, .reason] | join(" ")')" = "down disk stands" ]; }
ok "it has the health of now" wait_for 10 slow_down
is "and nothing of what it was when others watched" "$(events slow site.health)" 1
kill -STOP "$(cat slow.node.pid)"
"$python" - agent1.sock <<'END'
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
f = s.makefile("rb")
sent = 0
while sent < 150:
    s.sendall(b"event node.flood %03d %s\n" % (sent, b"x" * 3600))
    if f.readline() == b"ok\n":
        sent += 1
    else:
        time.sleep(0.2)
END
publish 2 node.other x
kill -CONT "$(cat slow.node.pid)"
publish 1 node.behind x
ok "once it reads again it goes on" wait_for 30 has slow site.node.behind 1
counted() { [ "$(($(events slow site.node.flood) + $(data slow "SELECT coalesce(sum(json_extract(payload, '\$.count')), 0) FROM events WHERE name = 'site.lost'")))" -ge 150 ]; }
ok "each of the flood has come, or is counted as lost" wait_for 30 counted
is "some is lost: what waits is bounded" "$([ "$(events slow site.node.flood)" -lt 150 ] && echo lost)" lost
is "the agent counts it, too" "$([ "$(counter watch_lines_lost_total)" -gt 0 ] && echo lost)" lost
# ---- a process that is in its job no more ----
rm -r "root1/proc/$(cat slow.node.pid)"
sleep 7
publish 1 node.others "of the next job"
sleep 2
is "a process that is in its job no more is given nothing of the next one's" "$(events slow site.node.others)" 0
touch home/over.slow
wait "$(cat slow.pid)"
is "it costs the command nothing" $? 0
finish
