#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro session run --spare: of a session's nodes some wait to replace one that is lost, or that the site condemns.
# The spare works from the next trigger on, each trigger counts as many nodes as work, and events name both.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires jq sqlite3 curl
cd "$SCRATCH" || exit 1
mkdir plugins
cat >plugins/ones.lua <<'END'
plugin { name = "ones", version = "1", reads = { "/proc/loadavg" }, metrics = { { "mine", "1" } } }
function source(t)
    sample("mine", 4)
    contribute("nodes", "sum", 1)
end
END
HOME=$SCRATCH/home
XDG_DATA_HOME=$SCRATCH/data
export HOME XDG_DATA_HOME
sessions=$XDG_DATA_HOME/barograph/sessions
at_exit 'touch over; kill -CONT $(cat "$SCRATCH"/*.node); kill -9 $(cat "$SCRATCH"/*.pid "$SCRATCH"/*.node); wait'
start() { # NAME OPTIONS...: until the test ends it; each node has its number in rankN.node
    start_name=$1
    shift
    rm -f over environment ./*.node
    baro session run --period 200ms --heartbeat 300ms --plugins plugins --name "$start_name" "$@" -- \
        sh -c 'echo "$BARO_SESSION_HOSTS + $BARO_SESSION_SPARES" >environment; until [ -e over ]; do sleep 0.1; done; exit 3' 2>err &
    echo $! >run.pid
}
over() {
    touch over
    wait "$(cat run.pid)"
}
data() { # NAME SQL
    sqlite3 -cmd '.timeout 10000' -separator ' ' "$sessions/$1/session.db" "$2"
}
# Nodes are started in the order of their ranks.
nodes() { # COUNT
    nodes_found=0
    for nodes_pid in $(pgrep -P "$(cat run.pid)" | sort -n); do
        tr '\0' ' ' <"/proc/$nodes_pid/cmdline" | grep -q baro-session-node || continue
        nodes_found=$((nodes_found + 1))
        echo "$nodes_pid" >"rank$nodes_found.node"
    done
    [ "$nodes_found" = "$1" ]
}
replaced() { # NAME "rank2 rank4,rank3 rank5,"
    [ "$(data "$1" "SELECT payload FROM events WHERE name = 'session.replaced' ORDER BY sequence" | jq -r '.lost + " " + .spare' | tr '\n' ',')" = "$2" ]
}
sampled() { # NAME HOST: since it was replaced last
    [ "$(data "$1" "SELECT count(*) > 2 FROM samples WHERE host = '$2' AND t_ms > (SELECT max(t_ns) / 1000000 FROM events WHERE name = 'session.replaced')")" = 1 ]
}
# At the first trigger that was announced after the event, half a period and a beat of the machine later at most.
gap_of() { # NAME HOST: how many triggers were announced between the event that it replaces one and its first sample
    data "$1" "SELECT count(*) FROM results WHERE metric = 'session_expected'
        AND t_ms > (SELECT min(t_ns) / 1000000 FROM events WHERE name = 'session.replaced' AND payload LIKE '%\"spare\":\"$2\"%') + 100
        AND t_ms < (SELECT min(t_ms) FROM samples WHERE host = '$2')"
}

# ---- lost ones ----
start lost --size 5 --spare 2
wait_for 20 test -s environment
is "the command has who works, and who waits" "$(cat environment)" "rank[1-3] + rank[4-5]"
ok "all nodes are there" wait_for 20 nodes 5
works() { [ "$(data lost "SELECT count(*) > 3 FROM results WHERE metric = 'ones_nodes_sum' AND value = 3")" = 1 ]; }
ok "three of them work" wait_for 20 works
is "without the cluster's name the site condemns none, and a line states it" "$(grep -c 'condemns no node: SLURM_CLUSTER_NAME is not set' err)" 1
is "spares do not" "$(data lost "SELECT DISTINCT host FROM samples ORDER BY host" | tr '\n' ' ')" "rank1 rank2 rank3 "
kill -9 "$(cat rank2.node)"
ok "one that is lost is replaced, and the event names both" wait_for 20 replaced lost "rank2 rank4,"
ok "the plugins run on the spare" wait_for 20 sampled lost rank4
is "from the next trigger on" "$(gap_of lost rank4)" 0
is "the event states why" "$(data lost "SELECT payload FROM events WHERE name = 'session.replaced'" | jq -c '[.reason, .lost_rank, .spare_rank]')" '["lost",2,4]'
is "a line on standard error, too" "$(grep -c 'rank2 is replaced by the spare rank4: lost' err)" 1
kill -STOP "$(cat rank1.node)"
ok "one that hangs is replaced" wait_for 20 replaced lost "rank2 rank4,rank1 rank5,"
kill -CONT "$(cat rank1.node)"
back() { [ "$(data lost "SELECT count(*) FROM events WHERE name = 'session.join' AND payload = '1'")" -ge 1 ]; }
ok "it comes back" wait_for 20 back
ok "the other works on" wait_for 20 sampled lost rank5
is "and it is a spare then" \
    "$(data lost "SELECT count(*) FROM samples WHERE host = 'rank1' AND t_ms > (SELECT max(t_ns) / 1000000 + 300 FROM events WHERE name = 'session.replaced')")" 0
kill -9 "$(cat rank3.node)"
ok "that replaces another" wait_for 20 replaced lost "rank2 rank4,rank1 rank5,rank3 rank1,"
ok "its plugins run again" wait_for 20 sampled lost rank1
kill -9 "$(cat rank4.node)"
none_left() { [ "$(data lost "SELECT count(*) FROM events WHERE name = 'session.no_spare'")" = 1 ]; }
ok "when there is none left an event states it" wait_for 20 none_left
kill -9 "$(cat rank5.node)"
both_lost() { [ "$(data lost "SELECT count(*) FROM events WHERE name = 'session.lost' AND payload LIKE '%5%'")" = 1 ]; }
ok "another is lost" wait_for 20 both_lost
over
is "the command's exit status" $? 3
is "it is stated once" "$(grep -c 'no spare is left' err) $(data lost "SELECT count(*) FROM events WHERE name = 'session.no_spare'")" "1 1"
is "the end is no loss" "$(grep -c 'is replaced by' err)" 3
is "the summary names them" "$(grep -c '5 of 5 ranks, 2 of them spares, 3 replaced, ' err)" 1
is "no trigger counts more than work" "$(data lost "SELECT max(value) FROM results WHERE metric = 'ones_nodes_sum'")" 3.0
is "each expects them, and the control node" "$(data lost "SELECT DISTINCT value FROM results WHERE metric = 'session_expected'")" 4.0
is "and no trigger has more than it expects" "$(data lost "SELECT max(value) FROM results WHERE metric = 'session_contributed'")" 4.0
is "the data name the spares" "$(data lost "SELECT value FROM session WHERE key = 'spares'")" "rank[4-5]"

# ---- one that never comes ----
cat >launch <<'END'
#!/bin/sh
# launch HOST PROGRAM: but h2 is not there
[ "$1" = h2 ] && exec <&- && exit 1
shift
exec "$@"
END
chmod +x launch
start absent --hosts 'h[1-3]' --spare 1 --launch ./launch --address 127.0.0.1 --start-wait 2s
ok "a node that does not join in its time is replaced" wait_for 20 replaced absent "h2 h3,"
is "by its reason" "$(data absent "SELECT payload FROM events WHERE name = 'session.replaced'" | jq -r .reason)" "did not join"
ok "the command begins" wait_for 20 test -s environment
is "and has who works then" "$(cat environment)" "h[1,3] + h2"
over

# ---- what the site holds of them ----
BARO_SERVER=unix:$SCRATCH/barod.sock
export BARO_SERVER
printf '[records]\npath = %s/r.db\n[net]\nlisten = none\nsocket = %s/barod.sock\n[resource]\nhost = emmy/rank[1-4]\nhost = alex/rank1\n' \
    "$SCRATCH" "$SCRATCH" >barod.conf
barod --config barod.conf 2>barod.log &
echo $! >barod.pid
ok "barod starts" wait_for 10 baro stats
state() { # COMPONENT HEALTH REASON: of cluster emmy
    state_path "emmy/$1" "$2" "$3"
}
state_path() {
    printf '{"component":"%s","source":"ping","health":"%s","reason":"%s"}\n' "$1" "$2" "$3" |
        curl -sf --unix-socket barod.sock -H 'Content-Type: application/x-ndjson' --data-binary @- http://x/v1/resources >posted
}
state rank1/dimm:2 degraded "12 errors"
ok "a node of another cluster with the same name is down" state_path alex/rank1 down "no fan"
SLURM_CLUSTER_NAME='*'
export SLURM_CLUSTER_NAME
start pattern --size 2 --spare 1
several() { [ "$(data pattern "SELECT count(*) > 9 FROM results WHERE metric = 'ones_nodes_sum'")" = 1 ]; }
ok "a pattern is no name of a cluster" wait_for 20 several
is "it is stated" "$(grep -c 'SLURM_CLUSTER_NAME is no name of a cluster' err)" 1
is "and condemns no node of any" "$(data pattern "SELECT count(*) FROM events WHERE name = 'session.replaced'")" 0
over
SLURM_CLUSTER_NAME=emmy
start condemned --size 4 --spare 2 --server "$BARO_SERVER"
ok "its nodes are there" wait_for 20 nodes 4
ok "the site condemns one" state rank2 down "fan stands"
ok "it is replaced" wait_for 20 replaced condemned "rank2 rank3,"
is "the event has the site's reason" "$(data condemned "SELECT payload FROM events WHERE name = 'session.replaced'" | jq -r '.reason | startswith("down") and contains("fan stands")')" true
ok "the spare works" wait_for 20 sampled condemned rank3
is "what is degraded works on" "$(data condemned "SELECT count(*) FROM events WHERE payload LIKE '%12 errors%'")" 0
ok "the site condemns another, which is a spare" state rank4 down "cut off"
ok "and one that works" state rank1 down "cut off as well"
stated() { [ "$(data condemned "SELECT payload FROM events WHERE name = 'session.no_spare'" | jq -r '.lost')" = rank1 ]; }
ok "there is none for it" wait_for 20 stated
ok "the first is well again" state rank2 up ""
ok "and replaces it" wait_for 20 replaced condemned "rank2 rank3,rank1 rank2,"
over
state rank1 up ""
start degraded --size 3 --spare 1 --condemn degraded
kill "$(cat barod.pid)"
wait "$(cat barod.pid)" 2>/dev/null
ok "a site that is away is no reason" wait_for 20 nodes 3
away() { grep -q 'health of nodes is not known from the site' err; }
ok "and costs a warning" wait_for 20 away
barod --config barod.conf 2>>barod.log &
echo $! >barod.pid
wait_for 10 baro stats
has_degraded() { data degraded "SELECT payload FROM events WHERE name = 'session.replaced'" | grep -q '"lost":"rank1".*degraded.*12 errors'; }
ok "a part that is degraded is one, where that is wanted" wait_for 20 has_degraded
over

# ---- a query that does not return ----
mkfifo -m 600 token
BARO_TOKEN_FILE=token timeout -s KILL 100 baro session run --size 2 --spare 1 --name hangs --quiet -- sh -c 'exit 3' 2>err
is "costs the command nothing" $? 3
is "and is stated" "$(grep -c 'a query of the health of nodes does not return' err)" 1

# ---- misuse ----
misuse() { # TEXT OPTIONS...
    misuse_text=$1
    shift
    baro session run "$@" -- touch ran 2>err
    [ $? -ne 0 ] && grep -q -- "$misuse_text" err && [ ! -e ran ]
}
ok "one node has to work" misuse 'of 2 nodes at most 1 can be spares' --size 2 --spare 2
ok "health that is none" misuse 'invalid value .bad.' --size 2 --condemn bad
finish
