#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Who is who in a session over TLS: each host has a key of its own, and the site's key signs whose it
# is.  Somebody with the session's key and one host's identity has no other's place, uses no hello
# again, and alters or invents no event of another.
. "$(dirname "$0")/lib.sh"
requires jq curl

nodes=5 # 0 - 1 2; 1 - 3 4
port=$(free_ports $nodes)
at_exit 'kill $(cat "$SCRATCH"/*.pid); wait'
cd "$SCRATCH" || exit 1
export BARO_SERVER="unix:$SCRATCH/barod.sock"
baro session keygen session.key >/dev/null
baro token key new site.key >/dev/null
: >revoked

session() { # RANK
    printf '[session]\nsize = %s\nfanout = 2\naddress = 127.0.0.1:%%p\nport = %s\nkey_file = %s/session.key\nrank = %s\nheartbeat = 500ms\nperiod = 1s\nlead = 300ms\ndeadline = 600ms\nstate = %s/state%s\nidentity_token = %s/%s.token\nsite_key = %s/site.key.pub\nrevoked = %s/revoked\n' \
        "$nodes" "$port" "$SCRATCH" "$1" "$SCRATCH" "$1" "$SCRATCH" "$1" "$SCRATCH" "$SCRATCH"
}

agent_conf() {
    mkdir -p "agent$1"
    { printf '[agent]\nsource = none\nserver = unix:%s/barod.sock\nstate = %s/agent%s\nspool = %s/agent%s/spool\nhost = rank%s\n[node]\nsocket = %s/agent%s.sock\n' \
        "$SCRATCH" "$SCRATCH" "$1" "$SCRATCH" "$1" "$1" "$SCRATCH" "$1"; session "$1"; } >"agent$1.conf"
}

start_agent() {
    agent_conf "$1"
    baro-agent --config "agent$1.conf" 2>>"agent$1.log" &
    echo $! >"$1.pid"
}

stop_agent() {
    kill "$(cat "$1.pid")"
    wait "$(cat "$1.pid")" 2>/dev/null
    rm "$1.pid"
}

counter() {
    baro stats --output csv --raw | awk -F, -v name="baro_session_$1" '$1 == name { print $2 }'
}

has_counter() {
    [ "$(counter "$1")" = "$2" ]
}

has_event() {
    baro event list --output csv >events.csv && grep -q "$1" events.csv
}

# ---- keys and tokens ----
agent_conf 1
not baro-agent --config agent1.conf 2>first.log
ok "a node over TCP that has no token does not start" \
    grep -q "session.identity_token: open '.*1.token': No such file" first.log
sed -e '/^identity_token/d' agent1.conf >no-token.conf
not baro-agent --config no-token.conf 2>no-token.log
ok "and learns how the token is made" \
    grep -q "baro token new --role node --host rank1 --node-key $SCRATCH/state1/node.key.pub --key KEY" no-token.log
is "its key was made at the first start, its owner's alone" "$(stat -c %a state1/node.key)" 600
for rank in 0 1 2 3 4; do
    [ -e "state$rank/node.key" ] || { mkdir "state$rank" && baro token key new "state$rank/node.key" >/dev/null; }
    baro token new --role node --host "rank$rank" --node-key "state$rank/node.key.pub" --key site.key --output "$rank.token"
done
is "a token has the key" "$(baro token show 3.token | jq -r '.key | length')" 43
ok "no other role has one" not baro token new --role agent --host rank3 --node-key state3/node.key.pub --key site.key
ok "a node's token needs one" not baro token new --role node --host rank3 --key site.key

# ---- a session in which all is as it should be ----
{ printf '[records]\nengine = sqlite\npath = %s/records.db\n[net]\nlisten = none\nsocket = %s/barod.sock\n[store]\ndirectory = %s/store\n' \
    "$SCRATCH" "$SCRATCH" "$SCRATCH"; session 0; } >barod.conf
barod --config barod.conf 2>>barod.log &
echo $! >0.pid
wait_for 10 baro stats
for rank in 1 2 3 4; do start_agent "$rank"; done
ok "nodes with identities are online" wait_for 30 has_counter online 5
ok "an event of a leaf is published" wait_for 10 baro event publish site.first "by rank 3" --agent "$SCRATCH/agent3.sock"
ok "and has the control node's number" wait_for 20 has_event "site.first"
is "nothing was forged" "$(counter events_forged_total)" 0

# ---- another node's name ----
stop_agent 2
ok "a node is gone" wait_for 20 has_counter online 4
session 4 >attacker.conf # the identity of rank 4
"$BUILD/tests/session/session-attacker" attacker.conf impostor 2 >impostor.out 2>&1
ok "who has the session's key and another host's token is refused" \
    grep -q "refused: it does not show that it is node 'rank2' (rank 2): its token is that of node 'rank4'" impostor.out
ok "the control node's log names both" \
    grep -q "refused: it does not show that it is node 'rank2' (rank 2): its token is that of node 'rank4'" barod.log
"$BUILD/tests/session/session-attacker" attacker.conf borrowed 2 2.token >borrowed.out 2>&1
ok "with that host's token, which is no secret, he lacks its key" \
    grep -q "refused: .*'rank2'.* the signature is not by the key of node 'rank2'" borrowed.out
sed -i "s/4.token/2.token/; s/rank = 4/rank = 2/" attacker.conf
sed -e 's/state4/state2/' attacker.conf >replay.conf
"$BUILD/tests/session/session-attacker" replay.conf replay >replay.out 2>&1
is "the first hello is good" "$(head -n 1 replay.out)" welcome
ok "the same on another connection is refused" \
    grep -q "refused: .*'rank2'.* the signature is not by the key of node 'rank2'" replay.out
ok "impostors are counted" has_counter impostors_total 3
"$BUILD/tests/session/session-attacker" attacker.conf impostor 2 >own.out 2>&1
ok "a node does not start with a key that its token does not have" \
    grep -q "the signature is not by the key of node 'rank2'" own.out

# ---- a parent that is not what it seems ----
cp agent3.conf thief.conf
stop_agent 1
ok "children of a parent that is gone have another" wait_for 20 has_counter children 2
mkdir thief
sed -e 's/^rank = 3/rank = 1/' -e "s/3.token/1.token/" -e "s/agent3/thief/" thief.conf >thief1.conf
not baro-agent --config thief1.conf 2>thief.log
ok "another host's key does not make a parent of that name" grep -q "not by the key of node 'rank1'" thief.log

# ---- an interior node that lies ----
session 1 >interior.conf
before=$(counter events_forged_total)
stop_agent 3
"$BUILD/tests/session/session-attacker" interior.conf interior 3 state3/node.key 3.token >interior.out 2>&1
ok "an interior node is admitted" grep -q "events were sent" interior.out
ok "an event that its origin signed is published" has_event attack.genuine
ok "and the next one" has_event attack.second
ok "an altered one is not" not has_event attack.altered
ok "nor an invented one" not has_event attack.invented
ok "nor one of an earlier incarnation" not has_event attack.stale
ok "nor one of a node elsewhere" not has_event attack.foreign
is "both are counted" "$(counter events_forged_total)" $((before + 2))
ok "and named with the way that they came" \
    grep -q "an event 'attack.altered' of node 'rank3' (rank 3) came by way of node 'rank1' (rank 1), altered or invented" barod.log

# ---- a token that holds no more ----
start_agent 1
start_agent 2
start_agent 3
ok "all are back" wait_for 30 has_counter online 5
baro token show 2.token | jq -r .id >revoked
ok "a node whose token is revoked is lost" wait_for 20 has_counter online 4
ok "and refused when it comes again" wait_for 10 grep -q "refused: .*'rank2'.* was revoked" barod.log
ok "both sides name it" wait_for 10 grep -q "'rank2'.*was revoked" agent2.log

# ---- no bearer token: of no use for a client ----
sed -e 's/^listen = none/listen = 127.0.0.1:'"$(free_port)"'\nkey = '"$(printf %s "$SCRATCH" | sed 's|/|\\/|g')"'\/site.key.pub/' barod.conf >open.conf
address=$(sed -n 's/^listen = //p' open.conf)
kill "$(cat 0.pid)"
wait "$(cat 0.pid)"
sed -i '/^\[session\]/,$d' open.conf
barod --config open.conf 2>>open.log &
echo $! >0.pid
refuses_node() {
    curl -s --max-time 5 -H "Authorization: Bearer $(cat 3.token)" "http://$address/v1/jobs" >client.out 2>&1
    grep -q "a node's token is for sessions" client.out
}
ok "barod accepts no node's token" wait_for 10 refuses_node
for log in *.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
