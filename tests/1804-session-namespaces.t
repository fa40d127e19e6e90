#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Nine network namespaces as hosts of a session over TLS: two of them are far away, packets are lost, links are
# cut and flap, agents, an interior node and the control node are killed.  Among the living no event is lost or
# comes twice, their order stands, and the counts are exact.
. "$(dirname "$0")/lib.sh"
requires python3 ip nft curl
cd "$SCRATCH" || exit 1
nodes=9
tag=baro$$
hosts="0 1 2 3 4 5 6 7 8"

# ---- a network: each host has a namespace, and a link to a switch in one of its own ----
network_end() {
    for name in $hosts switch; do ip netns del "$tag-$name" 2>>ip.log; done
}
in_host() { # RANK COMMAND...
    name=$tag-$1
    shift
    ip netns exec "$name" "$@"
}
network_start() {
    ip netns add "$tag-switch" && in_host switch ip link add switch type bridge &&
        in_host switch ip link set switch up || return 1
    for rank in $hosts; do
        ip netns add "$tag-$rank" &&
            ip link add eth0 netns "$tag-$rank" type veth peer name "host$rank" netns "$tag-switch" &&
            in_host switch ip link set "host$rank" master switch up &&
            in_host "$rank" ip addr add "10.77.1.$rank/16" dev eth0 &&
            in_host "$rank" ip link set eth0 up && in_host "$rank" ip link set lo up &&
            in_host "$rank" nft add table inet lossy &&
            in_host "$rank" nft add chain inet lossy in '{ type filter hook input priority 0; }' || return 1
    done
}
at_exit network_end
network_start 2>ip.log || {
    sed 's/^/# /' ip.log
    skip_all "network namespaces with links and nft cannot be made here"
}
loss() { # PERCENT
    for rank in $hosts; do
        in_host "$rank" nft flush chain inet lossy in
        [ "$1" = 0 ] || in_host "$rank" nft add rule inet lossy in iifname eth0 numgen random mod 100 '<' "$1" drop
    done
}
link() { # RANK up|down
    in_host switch ip link set "host$1" "$2"
}
# Two far hosts, an interior node and a leaf: what they and their parents tell each other comes 30 to 90 ms late.
late="3 6"
late_start() {
    for rank in $late; do
        printf 'table ip late {\n chain out {\n type nat hook output priority -100;\n tcp dport 8092 meta mark != 7 redirect to :9000\n }\n}\n' >late.nft
        in_host "$rank" nft -f late.nft || return 1
        ip netns exec "$tag-$rank" python3 "$TOP/tests/session/late.py" 9000 30 90 "late$rank" 2>>late.log &
        echo $! >"late$rank.pid"
        wait_for 20 test -s "late$rank" || return 1
    done
}
is_late() { # RANK: pieces went both ways by it
    [ "$(cut -d ' ' -f 1 <"late$1")" -ge 40 ]
}

# ---- barod and eight agents ----
BARO_SERVER=unix:$SCRATCH/barod.sock
export BARO_SERVER
at_exit 'kill $(cat "$SCRATCH"/*.pid)'
baro session keygen session.key >keygen
session() { # RANK
    printf '[session]\nsize = %s\nfanout = 2\naddress = 10.77.1.%%r:8092\nkey_file = %s/session.key\nidentities = none\nrank = %s\nheartbeat = 500ms\nperiod = 1s\nlead = 300ms\ndeadline = 600ms\nevent_rate = 100\nevent_burst = 200\nstate = %s/state\n' \
        "$nodes" "$SCRATCH" "$1" "$SCRATCH"
}
start_barod() {
    { printf '[records]\npath = %s/r.db\n[net]\nlisten = none\nsocket = %s/barod.sock\n[store]\ndirectory = %s/store\n' \
        "$SCRATCH" "$SCRATCH" "$SCRATCH"; session 0; } >barod.conf
    ip netns exec "$tag-0" barod --config barod.conf 2>>barod.log &
    echo $! >0.pid
    wait_for 20 baro stats
}
start_agent() { # RANK
    { printf '[agent]\nsource = none\nserver = %s\nstate = %s/agent%s\nspool = %s/spool%s\nhost = rank%s\nmetrics_listen = unix:%s/m%s\n[node]\nsocket = %s/a%s\n' \
        "$BARO_SERVER" "$SCRATCH" "$1" "$SCRATCH" "$1" "$1" "$SCRATCH" "$1" "$SCRATCH" "$1"; session "$1"; } >"agent$1.conf"
    ip netns exec "$tag-$1" baro-agent --config "agent$1.conf" 2>>"agent$1.log" &
    echo $! >"$1.pid"
    wait_for 20 test -S "a$1"
}
kill_node() { # RANK
    kill -9 "$(cat "$1.pid")"
    wait "$(cat "$1.pid")" 2>/dev/null
    rm -f "$1.pid" "a$1" "m$1"
}
contributed() {
    value=$(baro metric query session_contributed "session/rank0/session:system" --last 2s --output csv 2>/dev/null | sed -n '2,$s/.*,//p' | tail -n 1)
    [ "${value%.*}" = "$1" ]
}
# The next event of a node: its number is in the payload, and in RANK.sent what the agent accepted.
publish() { # RANK
    count=$(($(cat "$1.count" 2>/dev/null || echo 0) + 1))
    echo "$count" >"$1.count"
    baro event publish --agent "$SCRATCH/a$1" test.numbered "node=$1 number=$count" 2>>publish.log && echo "$count" >>"$1.sent"
}
publish_all() { # TIMES
    for _ in $(seq "$1"); do
        for rank in 1 2 3 4 5 6 7 8; do publish "$rank"; done
    done
}
listed() { baro event list --limit 1000 -o json >>"$1" 2>>list.log; }

counter() { # RANK NAME
    curl -s --unix-socket "m$1" http://x/metrics | awk -v name="$2" '$1 == name { print $2 }'
}
numbered() { baro stats | awk '$1 == "baro_session_events_total" { print $2 }'; }
# Those before a node joined are not its own.
late_of() { # RANK: events that the control node numbered and this node has not seen
    echo $(($(numbered) - $(counter "$1" baro_agent_session_events_total)))
}
# The two numbers are not read at the same time: they stand while nothing is under way.
is_quiet() { # RANK
    for quiet in 1 2 3; do
        late_of "$1" >"$1.late$quiet"
        sleep 0.3
    done
    cmp -s "$1.late1" "$1.late2" && cmp -s "$1.late1" "$1.late3"
}

ok "the way of two hosts is made slow" late_start
start_barod
for rank in 1 2 3 4 5 6 7 8; do start_agent "$rank"; done
ok "nine hosts contribute" wait_for 30 contributed "$nodes"
for rank in $late; do ok "host $rank speaks to its parent by the slow way" wait_for 20 is_late "$rank"; done
for rank in 2 3 4 6; do
    ok "what host $rank joined after is known" wait_for 20 is_quiet "$rank"
    cp "$rank.late1" "$rank.before"
done

# ---- one packet of a hundred is lost ----
loss 1
publish_all 10
ok "with one packet of a hundred lost all contribute" wait_for 20 contributed "$nodes"

# ---- a link is cut, and its node goes on ----
link 5 down
ok "a host that is cut off is counted out" wait_for 20 contributed 8
publish_all 5
link 5 up
ok "and in when it is back" wait_for 30 contributed "$nodes"

# ---- links flap ----
for _ in 1 2 3 4 5 6; do
    link 8 down
    publish_all 1
    link 8 up
    publish 8
done
ok "a host whose link flaps comes back" wait_for 30 contributed "$nodes"

# ---- an interior node, and an agent at a leaf, are killed ----
wait_for 10 eval 'listed before; true'
kill_node 1
kill_node 7
publish_most() {
    for _ in $(seq "$1"); do
        for rank in 2 3 4 5 6 8; do publish "$rank"; done
    done
}
publish_most 5
ok "the others go on without them" wait_for 20 contributed 7
start_agent 1
start_agent 7
ok "both come back" wait_for 30 contributed "$nodes"
publish_all 5

# ---- all that was published by the living is there, once, in order ----
everything() {
    listed now && python3 - now "$@" <<'END'
# The events of all nodes, and those that their agents accepted: each once, in order, with rising numbers.
import json, re, sys
text = open(sys.argv[1]).read()
decoder, at, runs = json.JSONDecoder(), 0, []
while at < len(text):
    while at < len(text) and text[at].isspace():
        at += 1
    if at == len(text):
        break
    value, at = decoder.raw_decode(text, at)
    runs.append(value if isinstance(value, list) else value["events"])
events = runs[-1]  # the newest list
ids = [tuple(map(int, e["id"].split("."))) for e in events]
wrong = []
if ids != sorted(set(ids)):
    wrong.append("numbers do not rise")
for rank in range(1, 9):
    got = [int(m.group(1)) for e in events
           for m in [re.search(r"node=%d number=(\d+)" % rank, json.dumps(e))] if m]
    sent = [int(line) for line in open("%d.sent" % rank)]
    if got != sorted(set(got)):
        wrong.append("node %d: twice, or out of order: %s" % (rank, got))
    if str(rank) in sys.argv[2:]:  # killed: what was not yet numbered went with it
        continue
    if got != sent:
        wrong.append("node %d: lost %s, unknown %s" % (rank, sorted(set(sent) - set(got)), sorted(set(got) - set(sent))))
print("\n".join(wrong[:5]) or "all %d" % sum(1 for e in events if "number=" in json.dumps(e)))
sys.exit(1 if wrong else 0)
END
}
all_there() { everything 1 7 >checked; }
ok "no event is lost or comes twice, and each node's are in order" wait_for 20 all_there
sed 's/^/# /' checked
delivered() { # RANK
    [ "$(late_of "$1")" = "$(cat "$1.before")" ] && [ "$(counter "$1" baro_agent_session_events_lost_total)" = 0 ]
}
for rank in 2 3 4 6; do
    ok "node $rank, which lived on, has seen every event" wait_for 20 delivered "$rank" ||
        echo "# $(late_of "$rank") late, at first $(cat "$rank.before"); $(counter "$rank" baro_agent_session_events_lost_total) lost"
done

# ---- the control node is killed ----
kill_node 0
publish_most 1
start_barod
ok "after kill -9 of the control node all contribute" wait_for 40 contributed "$nodes"
publish_all 3
after() {
    listed later && python3 - <<'END'
import json, re, sys
text = open("later").read().strip()
value = json.JSONDecoder().raw_decode(text[text.rindex("\n[") + 1:] if "\n[" in text else text)[0]
events = value if isinstance(value, list) else value["events"]
for rank in range(1, 9):
    got = [int(n) for n in re.findall(r"node=%d number=(\d+)" % rank, json.dumps(events))]
    sent = [int(line) for line in open("%d.sent" % rank)][-3:]
    if got[-3:] != sent or got != sorted(set(got)):
        sys.exit(1)
END
}
ok "and what is published since arrives, once and in order" wait_for 20 after
loss 0
finish
