#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sessions that users started, as the site lists them: whose, where, in which state; one in another by its path;
# what their plugins say of nodes is the user's opinion at the site; each user sees her own.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires jq sqlite3
cd "$SCRATCH" || exit 1
chmod 755 "$SCRATCH"
mkdir -p run root/proc plugins
BARO_SERVER=unix:$SCRATCH/barod.sock
export BARO_SERVER
at_exit 'touch home/over home/gone; kill -9 $(cat "$SCRATCH"/*.pid "$SCRATCH"/home/*.pid); wait'
session() { # RANK
    printf '[session]\nsize = 2\naddress = unix:%s/run/%%r.sock\nrank = %s\nheartbeat = 500ms\nperiod = 1s\nlead = 300ms\ndeadline = 900ms\nstate = %s/state\n' \
        "$SCRATCH" "$1" "$SCRATCH"
}
{
    printf '[records]\npath = %s/r.db\n[net]\nlisten = none\nsocket = %s/barod.sock\n[access]\nsocket_role = user\n[resource]\nhost = emmy/rank[1-2]\n' \
        "$SCRATCH" "$SCRATCH"
    session 0
} >barod.conf
{
    printf '[agent]\nsource = none\nroot = %s/root\nserver = %s\nstate = %s/agent\nspool = %s/spool\nhost = n1\ncluster = emmy\n[node]\nsocket = %s/agent.sock\n' \
        "$SCRATCH" "$BARO_SERVER" "$SCRATCH" "$SCRATCH" "$SCRATCH"
    session 1
} >agent.conf
barod --config barod.conf 2>barod.log &
echo $! >barod.pid
ok "barod starts" wait_for 10 baro stats
baro-agent --config agent.conf 2>agent.log &
echo $! >agent.pid
BARO_AGENT=$SCRATCH/agent.sock
export BARO_AGENT
ok "the agent has its socket" wait_for 10 test -S agent.sock
cat >plugins/ones.lua <<'END'
plugin { name = "ones", version = "1", reads = { "/proc/loadavg" }, metrics = { { "mine", "1" } },
         events = { { "second", "warning" } }, health = { "dimm:3" } }
local calls = 0
function source(t)
    calls = calls + 1
    sample("mine", 4)
    if calls == 2 then
        event("second", "of her own")
        health("dimm:3", "degraded", "14 errors")
    end
end
END
chmod 755 plugins
uid=0
as() { "$@"; }
if [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 --clear-groups test -x "$BUILD/src/cmd/baro"; then
    uid=65534
    as() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
fi
mkdir -m 777 home
run() { # NAME COMMAND
    run_name=$1
    shift
    as env HOME="$SCRATCH/home" XDG_DATA_HOME="$SCRATCH/home" baro session run --size 2 --period 200ms --heartbeat 100ms \
        --plugins plugins --name "$run_name" --site-event 'ones.*' -- "$@"
}
data() { # NAME SQL
    session_rows "$SCRATCH/home/barograph/sessions/$1/session.db" "$2"
}
list() { # JQ
    baro session list -o json | jq -rc "$1"
}
is "there is none" "$(list length)" 0

# ---- one in another ----
cat >inner.sh <<'END'
#!/bin/sh
echo $PPID >home/outer.pid
baro session run --size 1 --period 200ms --heartbeat 100ms --plugins plugins --name inner --site-event 'ones.*' -- \
    sh -c 'echo $PPID >home/inner.pid; until [ -e home/over ]; do sleep 0.1; done; exit 3'
END
chmod 755 inner.sh
run outer ./inner.sh 2>err &
echo $! >run.pid
both() { [ "$(list '[.[] | select(.state == "running") | .name] | sort | join(" ")')" = "inner outer" ]; }
ok "both are listed as running" wait_for 20 both
is "whose, with how many ranks, in which" "$(list '[.[] | [.name, .user, .ranks, .parent]] | sort')" \
    "[[\"inner\",\"$uid\",1,\"outer\"],[\"outer\",\"$uid\",2,null]]"
is "by its path" "$(baro session show outer:inner -o json | jq -r '.[0].name')" inner
is "by its name alone" "$(baro session show inner -o json | jq -r '.[0].name')" inner
is "with what was started in it" "$(baro session show outer -o json | jq -r '[.[].name] | join(" ")')" "outer inner"
baro session show inner:outer 2>err2
is "not the other way" "$? $(grep -c "no session 'inner:outer'" err2)" "1 1"
events() { [ "$(baro session show "$1" --events -o json | jq -r '[.[].name] | sort | join(" ")')" = "$2" ]; }
ok "the site has the events of one" wait_for 20 events outer "health health ones.second ones.second"
ok "and of the other" wait_for 20 events inner "health ones.second"
opinion() {
    baro resource show "emmy/$1" -o json | jq -rc '[.[] | select(.source | startswith("user:")) | [.source, .health, .counts]]'
}
is "what a plugin said is the user's opinion" "$(opinion rank2)" "[[\"user:$uid\",\"degraded\",\"opinion\"]]"
is "in the session's own data it is said by its plugin" \
    "$(data outer "SELECT DISTINCT origin, component, health FROM health WHERE origin = 'own' ORDER BY component" | tr '\n' ' ')" \
    "own session/rank1/dimm:3 degraded own session/rank2/dimm:3 degraded "
touch home/over
wait "$(cat run.pid)"
is "it ends with its command" $? 3
ended() { [ "$(list '[.[] | [.name, .state, .reason, .events]] | sort')" = '[["inner","ended","exit status 3",2],["outer","ended","exit status 3",4]]' ]; }
ok "both have ended, and why" wait_for 10 ended
is "nothing twice" "$(sqlite3 r.db "SELECT count(*), count(DISTINCT session || sequence) FROM session_reports")" "8|8"

# ---- whose ----
if [ "$uid" -ne 0 ]; then
    is "a user sees her own" "$(as env BARO_SERVER="$BARO_SERVER" baro session list -o json | jq length)" 2
    is "another user sees none" "$(setpriv --reuid 65533 --regid 65533 --clear-groups baro session list -o json | jq length)" 0
    setpriv --reuid 65533 --regid 65533 --clear-groups baro session show outer 2>err
    is "not by its name either" "$? $(grep -c "no session 'outer'" err)" "1 1"
else
    skip "a user sees her own" "only root plays users"
fi

# ---- one that is killed ----
run killed sh -c 'echo $PPID >home/killed.pid; until [ -e home/gone ]; do sleep 0.1; done' 2>err &
wait_for 20 test -s home/killed.pid
running() { [ "$(list '.[] | select(.name == "killed") | .state')" = "$1" ]; }
ok "another" wait_for 10 running running
kill -9 "$(cat home/killed.pid)"
touch home/gone
ok "that is killed is lost" wait_for 20 running lost
is "with a reason" "$(list '.[] | select(.name == "killed") | .reason | startswith("nothing was heard of it by the agent of n1 since ")')" true
is "the list of those" "$(baro session list --state lost -o json | jq -r '.[].name')" killed
kill -9 "$(cat barod.pid)"
barod --config barod.conf 2>>barod.log &
echo $! >barod.pid
wait_for 10 baro stats
is "barod that is killed has them all" "$(list '[.[] | .name] | sort | join(" ")')" "inner killed outer"
finish
