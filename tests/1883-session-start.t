#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro session start and stop: a user's session without a command, which runs in the background. It is up when start
# returns, goes on with its data after a kill -9, ends in order, and no other user has any of it.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires sqlite3 curl jq
python=$(PATH=$(getconf PATH) command -v python3) || skip_all "no python3 of all users"
cd "$SCRATCH" || exit 1
chmod 755 "$SCRATCH"
mkdir plugins
cat >plugins/ones.lua <<'END'
plugin { name = "ones", version = "1", reads = { "/proc/loadavg" }, metrics = { { "mine", "1" } },
         events = { { "second", "info" } } }
local calls = 0
function source(t)
    calls = calls + 1
    sample("mine", 4)
    contribute("nodes", "sum", 1)
    if calls == 2 then event("second", "call") end
end
END
chmod 755 plugins
mkdir -m 777 data
uid=$(id -u) other=
as() { "$@"; }
if [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 --clear-groups test -x "$BUILD/src/cmd/baro"; then
    uid=65534 other=65533
    as() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
fi
HOME=$SCRATCH/data
XDG_DATA_HOME=$SCRATCH/data
export HOME XDG_DATA_HOME
unset BARO_AGENT BARO_SESSION_ID
dir=$XDG_DATA_HOME/barograph/sessions/lus
# Only processes that this test started: their numbers are in the files of its own sessions.
at_exit 'for f in "$SCRATCH"/site.pid "$SCRATCH"/data/barograph/sessions/*/control.lock; do kill -9 $(cat "$f"); done'
quick="--size 2 --period 200ms --heartbeat 200ms --plugins plugins"
session() { # VERB OPTIONS...
    session_verb=$1
    shift
    # shellcheck disable=SC2086
    case $session_verb in
    start) as baro session start $quick "$@" ;;
    *) as baro session "$session_verb" "$@" ;;
    esac
}
state() { sed -n "s/^$1 = //p" "$dir/control.state"; }
data() { # SQL
    as sqlite3 -readonly -cmd '.timeout 10000' -separator ' ' "$dir/session.db" "$1"
}
is_gone() { [ ! -d "/proc/$1" ] || grep -q '^State:	Z' "/proc/$1/status"; }
events() { [ "$(data "SELECT count(*) FROM events WHERE name = 'ones.second'")" -ge "$1" ]; }
query() { # PATH
    as curl -s --unix-socket "$dir/control.sock" "http://localhost$1"
}

# ---- start ----
session start lus >out 2>err
is "start returns when it is up" "$? $(cat err)" "0 "
pid=$(state pid)
is "and states where it is" "$(cat out)" "lus is up: 2 of 2 nodes; process $pid on $(hostname), directory $dir"
is "its process is the user's, in a session of its own, without a terminal" \
    "$(stat -c %u "/proc/$pid") $(ps -o sid=,tty= -p "$pid" | awk -v pid="$pid" '{ print ($1 != pid), $2 }')" "$uid 1 ?"
is "nothing of who started it is open there" "$(readlink "/proc/$pid/fd/0" "/proc/$pid/fd/1" "/proc/$pid/fd/2" | tr '\n' ' ')" \
    "/dev/null $dir/control.log $dir/control.log "
is "its state" "$(state state) $(state name) $(state nodes) $(state online) $(state hosts) $(state host)" \
    "running lus 2 2 rank[1-2] $(hostname)"
is "no other user reads any of it" \
    "$(cd "$dir" && stat -c '%n %a' . session.db control.sock control.state control.start control.lock control.log plugins | tr '\n' ' ')" \
    ". 700 session.db 600 control.sock 600 control.state 600 control.start 600 control.lock 600 control.log 600 plugins 700 "
ok "its plugins run" wait_for 20 events 2
is "its socket serves who is online" "$(query /v1/session | jq -r '.rows[0] | join(" ")' 2>/dev/null || query /v1/session)" "online 3 control,rank[1-2]"

# ---- twice ----
session start lus >out 2>err
is "start of one that runs is refused" "$? $(cat out err)" "1 baro session start: session lus runs: process $pid"
session start --again lus --dir "$dir" >out 2>err
is "with other options, too" "$? $(grep -c 'give none but --dir' err)" "2 1"

# ---- another user ----
if [ -n "$other" ]; then
    them() { setpriv --reuid $other --regid $other --clear-groups "$@"; }
    them baro session stop --dir "$dir" lus >out 2>err
    is "another user cannot stop it" "$? $(cat out) $(grep -c 'Permission denied' err)" "1  1"
    chmod 755 data/barograph data/barograph/sessions "$dir"
    chmod 666 "$dir/control.sock"
    is "nor query it, where all modes were open" \
        "$(them curl -s -w '%{http_code}' --unix-socket "$dir/control.sock" http://localhost/v1/session | tr '\n' ' ' | grep -c "of user $uid, and of no use to user $other.*403$")" 1
    is "nor end it by its socket" \
        "$(them curl -s -o /dev/null -w '%{http_code}' -X POST --unix-socket "$dir/control.sock" http://localhost/v1/session/stop)" 403
    them baro session stop --dir "$dir" lus >out 2>err
    is "and learns whose it is" "$? $(grep -c "is of user $uid" err)" "1 1"
    them baro session start --again --dir "$dir" lus >out 2>err
    is "nor start it" "$? $(grep -c "is of user $uid" err)" "1 1"
    is "root may query it" "$(curl -s -o /dev/null -w '%{http_code}' --unix-socket "$dir/control.sock" http://localhost/v1/session)" 200
    chmod 700 "$dir"
    chmod 600 "$dir/control.sock"
else
    skip "another user" "only root plays users"
fi

# ---- kill -9, and again ----
as baro session stop none >out 2>err
is "one that is not there" "$? $(grep -c 'No such file' err)" "1 1"
before=$(data "SELECT count(*) FROM results")
id=$(data "SELECT value FROM session WHERE key = 'session'")
nodes=$(pgrep -P "$pid")
kill -9 "$pid"
gone() {
    for gone_pid in $nodes; do
        is_gone "$gone_pid" || return 1
    done
}
ok "no node is left behind by a kill -9" wait_for 10 gone
session start --period 300ms lus >out 2>err
is "another command does not go on with it" "$? $(grep -c 'was started with other options' err)" "2 1"
session start lus >out 2>err
is "the same command does" "$? $(cat err)" "0 "
is "with another process" "$([ "$(state pid)" != "$pid" ] && state state)" running
ok "which adds to its data" wait_for 20 events 4
is "in a new incarnation" "$(data "SELECT DISTINCT incarnation FROM events WHERE name = 'ones.second' ORDER BY 1" | wc -l)" 2
is "all that was stored is there, and it is the same session" \
    "$([ "$(data "SELECT count(*) FROM results")" -gt "$before" ] && data "SELECT value FROM session WHERE key = 'session'")" "$id"
kill -9 "$(state pid)"
as baro session start --again lus >out 2>err
is "--again needs no options" "$? $(state state) $(state online)" "0 running 2"
ok "and has them all" wait_for 20 events 6

# ---- stop ----
pid=$(state pid)
as baro session stop lus >out 2>err
is "stop returns when it has ended" "$? $(cat out err)" "0 lus has ended"
is "its process is gone, and its state has why" "$(is_gone "$pid" && state state) $(state reason)" "ended stopped by user $uid"
is "its data are closed" "$(data "SELECT value FROM session WHERE key = 'end_reason'") $(data "SELECT count(*) FROM session WHERE key = 'end_ms'")" \
    "stopped by user $uid 1"
is "nothing is left of its socket" "$([ -e "$dir/control.sock" ] || echo gone)" gone
as baro session stop lus >out 2>err
is "stop again is fine" "$? $(cat out err)" "0 lus had ended already: stopped by user $uid"
as baro session start --again lus >out 2>err
is "one that was stopped goes on, too" "$? $(data "SELECT count(*) FROM session WHERE key IN ('end_ms', 'end_reason')")" "0 0"
is "as another one for the site" "$([ "$(data "SELECT value FROM session WHERE key = 'session'")" != "$id" ] && echo other)" other

# ---- one that hangs, and one that is dead ----
pid=$(state pid)
kill -STOP "$pid"
as baro session stop --wait 1s lus >out 2>err
is "one that hangs is killed" "$? $(grep -c "did not end within 1s.*process $pid was killed" err) $(is_gone "$pid" && echo gone)" "1 1 gone"
as baro session stop lus >out 2>err
is "what it left is closed" "$? $(cat out err)" "0 lus was dead: process $pid had been killed; it has ended now"
is "as its data have it" "$(data "SELECT value FROM session WHERE key = 'end_reason'")" "its control process was killed, then it was stopped"

# ---- what does not come up ----
as baro session start --hosts 'h[1-2]' --launch /bin/false --address 127.0.0.1 --start-wait 2s none >out 2>err
is "without a node start states why" "$? $(cat out) $(grep -c 'none is not up: .*no node of h\[1-2\] joined\|none is not up: .*does not read' err)" "1  1"
is "and so does its state" "$(sed -n 's/^state = //p' data/barograph/sessions/none/control.state)" failed
as baro session start --size 1 --plugins nothing.lua bad >out 2>err
is "a plugin that is not there" "$? $(grep -c 'nothing.lua' err)" "1 1"
as baro session start --size 1 --period 200ms --heartbeat 200ms bad >out 2>err
is "costs its name nothing" "$?" 0
as baro session stop --quiet bad >out 2>err
is "quietly" "$? $(cat out err)" "0 "

# ---- data that are damaged, or another's ----
refused() { # TEXT
    as baro session start --again lus >out 2>err
    is "$1" "$? $(grep -c "$2" err)" "1 1"
}
as cp "$dir/session.db" whole.db 2>/dev/null || cp "$dir/session.db" whole.db
as sh -c "echo 'no database, but longer than the head of one is: that is a hundred bytes, which this is as well, nearly' >'$dir/session.db'"
refused "data that are no database" "is damaged, or no SQLite file"
cp whole.db "$dir/session.db"
as sh -c "dd if=/dev/urandom of='$dir/session.db' bs=4096 seek=1 count=4 conv=notrunc 2>/dev/null"
refused "data that are damaged" "is damaged"
cp whole.db "$dir/session.db"
as sqlite3 "$dir/session.db" "UPDATE session SET value = 'another' WHERE key = 'name'"
refused "data of another session" "is of another session"
cp whole.db "$dir/session.db"
echo 1 >"$dir/lus.incarnation"
refused "an incarnation that was" "is damaged: .* has events of incarnation"
as sh -c "mkdir -p data/foreign/plugins; chmod 700 data/foreign; echo mine >data/foreign/file"
as baro session start --size 1 --dir data/foreign foreign >out 2>err
is "a directory of something else" "$? $(grep -c 'is of no session that was started' err) $(cat data/foreign/file)" "1 1 mine"

# ---- what the site hears ----
cat >site.py <<'END'
# site.py SOCKET DATABASE: an agent that accepts all; of each report of a session its state, and how many ends the
# database has by then.
import json, os, socket, sqlite3, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
s.listen(16)
while True:
    conn = s.accept()[0]
    for line in conn.makefile("r"):
        verb, _, rest = line.partition(" ")
        if verb == "session":
            ends = sqlite3.connect(sys.argv[2], timeout=10).execute("SELECT count(*) FROM session WHERE key = 'end_ms'").fetchone()[0]
            print(json.loads(rest)["state"], ends, flush=True)
        if verb != "watch":
            conn.sendall(b"ok\n")
        else:
            break
    conn.close()
END
heard=$XDG_DATA_HOME/barograph/sessions/heard
"$python" site.py "$SCRATCH/site.sock" "$heard/session.db" >heard 2>heard.err &
echo $! >site.pid
ok "an agent" wait_for 10 test -S site.sock
session start --agent site.sock heard >out 2>err
is "a session with an agent, named as it is seen from here" "$? $(cat err)" "0 "
hears() { grep -q "^$1" heard; }
ok "the site hears that it runs" wait_for 10 hears "running 0"
its_id() { sqlite3 -readonly -cmd '.timeout 10000' "$heard/session.db" "SELECT value FROM session WHERE key = 'session'"; }
again() { # after a kill -9
    kill -9 "$(sed -n 's/^pid = //p' "$heard/control.state")"
    as baro session start --again heard >out 2>err
}
id=$(its_id)
again
is "killed, it is the same one for the site" "$? $(its_id)" "0 $id"
rm "$heard/site.numbers"
again
is "without the numbers that it used it is another one" "$? $([ "$(its_id)" != "$id" ] && echo other) $(grep -c 'another session for the site: .*site.numbers' "$heard/control.log" err | cut -d: -f2 | sort -u | tail -1)" "0 other 1"
session stop heard >out 2>err
is "that it ended is in its data before the site hears it" "$(sort -u heard | tr '\n' ' ')" "ended 1 running 0 "
: >heard
as sh -c "echo 'no database' >'$heard/session.db'"
as baro session start --again heard >out 2>err
is "a start that fails on its data" "$? $(grep -c 'is damaged' err)" "1 1"
is "is nothing that the site hears of" "$(cat heard heard.err)" ""

# ---- a long path ----
long=$SCRATCH/data/$(printf 'l%.0s' $(seq 120))
as baro session start --size 1 --period 200ms --heartbeat 200ms --dir "$long" long >out 2>err
is "a path that is too long for a socket" "$? $(cat err)" "0 "
as baro session stop --dir "$long" long >out 2>err
is "is none for its end" "$? $(cat out err)" "0 long has ended"
finish
