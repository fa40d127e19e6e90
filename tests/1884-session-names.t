#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sessions by their names: one in another is found by walking down from the outer one, its own control process serves
# its owner, a wrong part of a name is named with the children that there are, one that was killed is dead, and
# another user has nothing of it and learns that.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires jq sqlite3
cd "$SCRATCH" || exit 1
chmod 755 "$SCRATCH"
mkdir -p run root/proc
mkdir -m 777 home
HOME=$SCRATCH/home
XDG_DATA_HOME=$SCRATCH/home
BARO_SERVER=unix:$SCRATCH/barod.sock
export HOME XDG_DATA_HOME BARO_SERVER
unset BARO_AGENT BARO_SESSION_ID BARO_SESSION_DIR
sessions=$SCRATCH/home/barograph/sessions
at_exit 'touch home/over; kill -9 $(cat "$SCRATCH"/*.pid "$SCRATCH"/home/barograph/sessions/*/control.lock); wait'
uid=0 other=
as() { "$@"; }
if [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 --clear-groups test -x "$BUILD/src/cmd/baro"; then
    uid=65534 other=65533
    as() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
    them() { setpriv --reuid 65533 --regid 65533 --clear-groups "$@"; }
fi

# ---- a site with an agent on this node ----
site_session() { # RANK
    printf '[session]\nsize = 2\naddress = unix:%s/run/%%r.sock\nrank = %s\nheartbeat = 500ms\nperiod = 1s\nlead = 300ms\ndeadline = 900ms\nstate = %s/state\n' \
        "$SCRATCH" "$1" "$SCRATCH"
}
{
    printf '[records]\npath = %s/r.db\n[net]\nlisten = none\nsocket = %s/barod.sock\n[access]\nsocket_role = user\n' "$SCRATCH" "$SCRATCH"
    site_session 0
} >barod.conf
{
    printf '[agent]\nsource = none\nroot = %s/root\nserver = %s\nstate = %s/agent\nspool = %s/spool\nhost = n1\ncluster = emmy\n[node]\nsocket = %s/agent.sock\n' \
        "$SCRATCH" "$BARO_SERVER" "$SCRATCH" "$SCRATCH" "$SCRATCH"
    site_session 1
} >agent.conf
barod --config barod.conf 2>barod.log &
echo $! >barod.pid
ok "barod starts" wait_for 10 baro stats
baro-agent --config agent.conf 2>agent.log &
echo $! >agent.pid
ok "the agent has its socket" wait_for 10 test -S agent.sock

# ---- two levels: a run with a session that is started in it, which has one in it ----
cat >levels.sh <<'EOS'
#!/bin/sh
baro session start --size 1 --period 200ms --heartbeat 200ms inner >inner.out 2>&1
BARO_SESSION_ID=$(sed -n 's/^session = //p' "$XDG_DATA_HOME/barograph/sessions/inner/control.state")
BARO_SESSION_DIR=$XDG_DATA_HOME/barograph/sessions/inner
export BARO_SESSION_ID BARO_SESSION_DIR
baro session start --size 2 --period 200ms --heartbeat 200ms leaf >leaf.out 2>&1
touch up
until [ -e over ]; do sleep 0.1; done
EOS
chmod 755 levels.sh
(cd home && as env BARO_AGENT="$SCRATCH/agent.sock" baro session run --size 1 --period 200ms --heartbeat 200ms --quiet --name outer -- "$SCRATCH/levels.sh" 2>../outer.err) &
ok "all three are up" wait_for 40 test -e home/up
hosts() { as baro session show --session "$1" -o json 2>err | jq -r '.[] | select(.state == "online") | .hosts'; }
is "the outermost serves its owner" "$(hosts outer)" "control,rank1"
is "the one in it by the path of names" "$(hosts outer:inner)" "control,rank1"
is "and the one in that" "$(hosts outer:inner:leaf)" "control,rank[1-2]"
is "also by its name, and by its directory" "$(hosts leaf) $(hosts "$sessions/leaf")" "control,rank[1-2] control,rank[1-2]"
is "each lists its children, with state and address" \
    "$(as baro session list --session outer -o json | jq -rc '[.[] | [.name, .state, .nodes, .online, .address]]')" \
    "[[\"inner\",\"running\",1,1,\"$(hostname):$sessions/inner/control.sock\"]]"
is "each node of one" "$(as baro session nodes --session outer:inner:leaf -o json | jq length)" 3
as baro event publish --session outer:inner:leaf hers.word 'of the leaf' 2>err
is "an event is published in one" "$? $(cat err)" "0 "
published() { as baro event list --session "$1" -o json | jq -r '.[] | select(.name == "hers.word") | .payload'; }
heard() { [ "$(published leaf)" = "of the leaf" ]; }
ok "and heard there" wait_for 10 heard
is "and in no other" "$(published outer)$(published inner)" ""

# ---- as the site lists them ----
address() { baro session show "$1" -o json 2>/dev/null | jq -r '.[0].address'; }
listed() { [ "$(address leaf)" = "$(hostname):$sessions/leaf/control.sock" ]; }
ok "the site has the address of each" wait_for 20 listed
away() { as env XDG_DATA_HOME="$SCRATCH/home/away" "$@"; }
is "where it is in no directory of hers it is found by the site" \
    "$(away baro session show --session outer:inner:leaf -o json 2>err | jq -r '.[] | select(.state == "online") | .hosts')" "control,rank[1-2]"

# ---- what is not there ----
refused() { # NAME SENTENCE TEXT
    as baro session show --session "$1" >out 2>err
    is "$2" "$? $(grep -c "$3" err)" "1 1"
}
refused nothing "no such session" "no session 'nothing' is known"
refused outer:leaf "a child that another has" "session outer has no child 'leaf'; its children: inner (running)"
refused outer:inner:none "the part that is not there is named" "session inner has no child 'none'; its children: leaf (running)"
refused outer:inner:leaf:none "where there are no children" "session leaf has no child 'none'; its children: none"
away baro session show --session outer:inner:none >out 2>err
is "by the site as well" "$? $(grep -c "session inner has no child 'none'; its children: leaf (running)" err)" "1 1"

# ---- another host ----
as sed -i "s/^host = .*/host = elsewhere/" "$sessions/leaf/control.state"
refused leaf "one on another host" "session leaf runs on elsewhere: go there"
as baro session stop leaf >out 2>err
is "which is not stopped from here" "$? $(grep -c 'session leaf runs on elsewhere: go there' err)" "1 1"
as sed -i "s/^host = .*/host = $(hostname)/" "$sessions/leaf/control.state"

# ---- another user ----
if [ -n "$other" ]; then
    them baro session show --session outer >out 2>err
    is "another user does not find it" "$? $(cat out) $(grep -c "no session 'outer' is known\|another user's\|has to be your own" err)" "1  1"
    for name in outer leaf; do
        them baro event list --session "$sessions/$name" >out 2>err
        is "nor has anything by its directory: $name" "$? $(cat out) $(grep -c "another user's\|Permission denied" err)" "1  1"
    done
else
    skip "another user" "only root plays users"
fi

if [ -n "$other" ]; then
    ok "root queries it" baro event list --session "$sessions/leaf"
    mv "$sessions/leaf/control.sock" "$sessions/leaf/own.sock"
    ln -s "$SCRATCH/agent.sock" "$sessions/leaf/control.sock"
    baro event list --session "$sessions/leaf" >out 2>err
    is "but no socket that its directory leads to elsewhere" "$? $(cat out) $(grep -c 'is not a socket of user 65534' err)" "1  1"
    rm "$sessions/leaf/control.sock"
    mv "$sessions/leaf/own.sock" "$sessions/leaf/control.sock"
else
    skip "another's directory" "only root plays users"
fi

# ---- one that is dead ----
kill -9 "$(sed -n 's/^pid = //p' "$sessions/leaf/control.state")"
mv "$sessions/leaf/control.state" "$sessions/leaf/own.state"
mkfifo "$sessions/leaf/control.state"
timeout 10 baro event list --session "$sessions/leaf" >out 2>err
is "a state that is no file does not block" "$? $(grep -c 'is not a file' err)" "1 1"
mv "$sessions/leaf/own.state" "$sessions/leaf/control.state"
as sed -i "s/^host = .*/host = elsewhere/" "$sessions/leaf/control.state"
before=$(as sha256sum "$sessions/leaf/session.db")
as baro session stop leaf >out 2>err
is "one on another host is not dead because no lock is seen here: stop" "$? $(grep -c 'leaf runs on elsewhere: go there' err)" "1 1"
as baro session start --again leaf >out 2>err
is "start" "$? $(grep -c 'leaf runs on elsewhere: go there' err)" "1 1"
as sed -i "s/^t_ms = .*/t_ms = 1669014000000/" "$sessions/leaf/control.state"
for verb in stop "start --again"; do
    # shellcheck disable=SC2086
    as baro session $verb leaf >out 2>err
    is "nor where it is silent: $verb" "$? $(grep -c "leaf on elsewhere has not been heard of for .* if that host is gone for good, remove '$sessions/leaf/control.state'" err)" "1 1"
done
is "nothing of it was written" "$(as sha256sum "$sessions/leaf/session.db")" "$before"
as sed -i "s/^host = .*/host = $(hostname)/" "$sessions/leaf/control.state"
refused outer:inner:leaf "one that is killed is dead" "session outer:inner:leaf is dead: its control process [0-9]* on $(hostname) was killed"
is "its parent lists it so" "$(as baro session list --session inner -o json | jq -r '.[] | .name + " " + .state')" "leaf dead"
is "and goes on" "$(hosts inner)" "control,rank1"
as baro session start --again leaf >out 2>err
is "it goes on in its place" "$? $(hosts outer:inner:leaf)" "0 control,rank[1-2]"
as baro session stop --quiet leaf
refused leaf "one that was stopped has ended" "session leaf has ended: stopped by user $uid"
as baro session stop outer >out 2>err
is "a run is not stopped but by its command" "$? $(grep -c 'is of no session that was started by baro session start' err) $(hosts outer)" "1 1 control,rank1"
touch home/over
ended() { [ -z "$(hosts outer)" ] && grep -q 'session outer has ended: exit status 0' err; }
ok "with which it ends" wait_for 20 ended
as baro session stop --quiet inner
finish
