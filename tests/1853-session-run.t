#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro session run: a user's command with a session around it. Her plugins run on each node, what they
# find is in her own file, and whatever ends first, nothing is left behind and the command runs on.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires python3 sqlite3

cd "$SCRATCH" || exit 1
mkdir plugins empty
cat >plugins/ones.lua <<'END'
plugin { name = "ones", version = "1", reads = { "/proc/loadavg" }, metrics = { { "mine", "1" } },
         events = { { "second", "info" } } }
local calls = 0
function source(t)
    calls = calls + 1
    sample("mine", 4)
    sample("mine", 2, { type = "gpu", id = "0" })
    contribute("nodes", "sum", 1)
    if calls == 2 then event("second", "call") end
end
END
HOME=$SCRATCH/home
XDG_DATA_HOME=$SCRATCH/data
export HOME XDG_DATA_HOME
sessions=$XDG_DATA_HOME/barograph/sessions
# Nodes that are there after the test, whatever failed, would stay as long as their run.
at_exit 'kill -9 $(cat "$SCRATCH"/*.pid)'
quick="--period 200ms --heartbeat 300ms"
run() { # OPTIONS -- COMMAND
    # shellcheck disable=SC2086
    baro session run $quick "$@"
}
start() { # OPTIONS -- COMMAND: behind our back
    # shellcheck disable=SC2086
    baro session run $quick "$@" >out 2>err &
    echo $! >run.pid
}
data() { # NAME SQL
    session_rows "$sessions/$1/session.db" "$2"
}
nodes_of() { # PID: programs of nodes below it
    for nodes_pid in $(pgrep -P "$1"); do
        ! tr '\0' ' ' <"/proc/$nodes_pid/cmdline" | grep -q baro-session-node || echo "$nodes_pid"
    done
}
has_nodes() { [ "$(nodes_of "$1" | wc -l)" = "$2" ]; }

# ---- a run ----
# The command ends when all ranks have contributed twice: the test waits for no time.
cat >until <<'END'
#!/bin/sh
# until NAME COUNT: so many events of plugins are in the file of the session
until [ "$(sqlite3 -readonly -cmd '.timeout 10000' "$XDG_DATA_HOME/barograph/sessions/$1/session.db" "SELECT count(*) FROM events WHERE name = 'ones.second'" 2>/dev/null || echo 0)" -ge "$2" ]; do
    sleep 0.1
done
END
chmod +x until
echo given | run --size 3 --plugins plugins --name first -- sh -c 'cat; ./until first 3; exit 7' >out 2>err
is "its exit status is the command's, its input and output, too" "$? $(cat out)" "7 given"
is "a summary is the one line on standard error" "$(sed 's/[0-9]* triggers, [0-9]* contr/N triggers, N contr/' err)" \
    "baro session run: first: 3 of 3 ranks, N triggers, N contributions, 3 events; data: $sessions/first/session.db"
is "all ranks contribute" "$(data first "SELECT max(value) FROM results WHERE metric = 'ones_nodes_sum'")" 3.0
is "each node's samples are there" \
    "$(data first "SELECT host, part, value FROM samples WHERE metric = 'mine' GROUP BY host, part ORDER BY host, part" | tr '\n' ',')" \
    "rank1  4.0,rank1 gpu:0 2.0,rank2  4.0,rank2 gpu:0 2.0,rank3  4.0,rank3 gpu:0 2.0,"
is "and what they come to together" \
    "$(data first "SELECT metric, max(value) FROM results WHERE metric LIKE 'mine_m%' GROUP BY metric" | tr '\n' ',')" \
    "mine_max 4.0,mine_mean 3.0,mine_min 2.0,"
is "so are events of plugins" "$(data first "SELECT host, payload FROM events WHERE name = 'ones.second' ORDER BY host" | head -n 1)" \
    'rank1 {"severity":"info","text":"call"}'
is "and how it ended" "$(data first "SELECT value FROM session WHERE key = 'exit_status'")" 7
is "no other user reads any of it" "$(stat -c %a "$sessions/first" "$sessions/first/session.db" "$sessions/first/plugins" | tr '\n' ' ')" \
    "700 600 700 "
run --size 1 --quiet -- sh -c 'echo "$BARO_SESSION $BARO_SESSION_DIR"' >out 2>err
is "without plugins, quietly" "$? $(cat err)" "0 "
is "the command has its name and directory" "$(cat out)" "$(basename "$(echo "$sessions"/step0.run-*)") $(echo "$sessions"/step0.run-*)"
is "its name is of the run" "$(find "$sessions" -name 'step0.run-*' -type d | wc -l)" 1

# ---- the command's own ends ----
run --size 1 --quiet -- sh -c 'kill -KILL $$' 2>err
is "a signal that ends it is 128 and its number" $? 137
run --size 1 --quiet -- "$SCRATCH/none" 2>err
is "what is not there is 127" "$? $(grep -c 'No such file' err)" "127 1"
run --size 1 --quiet -- "$SCRATCH/plugins/ones.lua" 2>err
is "what cannot be executed is 126" $? 126
start --size 1 --quiet --name term -- sh -c 'trap "echo caught; exit 3" TERM; echo up; while :; do sleep 0.05; done'
wait_for 10 grep -q up out
kill "$(cat run.pid)"
wait "$(cat run.pid)"
is "signals are passed on" "$? $(tail -n 1 out)" "3 caught"

# ---- misuse: before the command ----
misuse() { # TEXT OPTIONS...
    misuse_text=$1
    shift
    run "$@" -- touch ran 2>err
    [ $? -ne 0 ] && grep -q "$misuse_text" err && [ ! -e ran ]
}
ok "outside of an allocation hosts are wanted" misuse 'give --hosts SET or --size N'
ok "a plugin that is not there" misuse 'none.lua' --size 1 --plugins none.lua
ok "a directory without one" misuse 'has no plugin' --size 1 --plugins empty
ok "a name that is a path" misuse "cannot be a session's name" --size 1 --name ../x
ok "a name that is there already" misuse 'File exists' --size 1 --name first
ok "too many nodes of one machine" misuse 'at most 1024' --size 5000

mkdir wide
chmod 777 wide
ok "a directory that others may write" misuse 'may be written by others' --size 1 --dir wide
ln -s "$SCRATCH/wide" link
ok "or a link to it" misuse 'may be written by others' --size 1 --dir link
if [ "$(id -u)" = 0 ]; then
    mkdir theirs
    chown 1 theirs
    ok "a directory of another user" misuse 'has to be your own' --size 1 --dir theirs
else
    skip "a directory of another user" "only root makes one"
fi
mkdir own
ln -s "$SCRATCH/own" mine
run --size 1 --quiet --dir mine -- sh -c 'echo "$BARO_SESSION_DIR"' >out 2>err
is "one's own, by a link, is what the link leads to" "$? $(cat out err)" "0 $SCRATCH/own"

# ---- what fails of the session costs the command nothing ----
run --size 1 --data-max 4KiB -- sh -c 'exit 5' 2>err
is "data that cannot be stored" "$? $(grep -c 'runs without all of its session' err)" "5 1"
run --hosts h1 --launch "$SCRATCH/none" --address 127.0.0.1 -- sh -c 'exit 6' 2>err
is "nodes that cannot be started" "$? $(grep -c 'runs without all of its session' err)" "6 1"
start --size 2 --quiet --plugins plugins --name kills -- sh -c 'while [ ! -e over ]; do sleep 0.1; done; exit 4'
joined() { [ "$(data kills "SELECT count(*) FROM events WHERE name = 'ones.second'" 2>/dev/null || echo 0)" -ge 2 ]; }
ok "two nodes" wait_for 20 joined
kill -9 "$(nodes_of "$(cat run.pid)" | head -n 1)"
lost() { [ "$(data kills "SELECT count(*) FROM events WHERE name = 'session.lost'" 2>/dev/null || echo 0)" -ge 1 ]; }
ok "a node that is killed is lost" wait_for 20 lost
touch over
wait "$(cat run.pid)"
is "the command goes on to its end" $? 4

# ---- the program itself is killed ----
start --size 3 --quiet --plugins plugins --name dead -- sh -c 'echo $$ >command.pid; while [ ! -e late ]; do sleep 0.1; done; touch went_on'
ok "three nodes" wait_for 20 has_nodes "$(cat run.pid)" 3
wait_for 20 test -s command.pid
left=$(nodes_of "$(cat run.pid)")
# The key: in no argument, no environment, no file.
secrets() {
    for secrets_pid in $left "$(cat run.pid)" "$(cat command.pid)"; do
        cat "/proc/$secrets_pid/cmdline" "/proc/$secrets_pid/environ"
    done | grep -acE '[0-9a-f]{64}'
    grep -racE '[0-9a-f]{64}' "$sessions/dead" | grep -v ':0$'
}
is "the key is in no argument, environment or file" "$(secrets)" 0
port=$(python3 - "$(cat run.pid)" <<'END'
import os, sys
inodes = set()
for fd in os.listdir(f"/proc/{sys.argv[1]}/fd"):
    to = os.readlink(f"/proc/{sys.argv[1]}/fd/{fd}")
    if to.startswith("socket:["):
        inodes.add(to[8:-1])
for line in open("/proc/net/tcp").readlines()[1:]:
    part = line.split()
    if part[3] == "0A" and part[9] in inodes:
        print(int(part[1].split(":")[1], 16))
END
)
joins() { data dead "SELECT count(*) FROM events WHERE name = 'session.join'"; } # of several ranks one
before=$(joins)
mkfifo invitation
baro-session-node <invitation 2>another.err &
echo $! >another.pid
exec 9>invitation
echo "barograph session 1 $(printf 'a%.0s' $(seq 64))" >&9
printf '[session]\nname = dead\nhosts = control,rank[1-3]\naddress = 127.0.0.1:%%p\nport = %s\nfanout = 3\nheartbeat = 100ms\nperiod = 200ms\nlead = 50ms\ndeadline = 100ms\nrank = 1\n[child]\ncontrol_address = 127.0.0.1:%s\nend\n' "$port" "$port" >&9
wait "$(cat another.pid)"
is "who has another key does not join, and leaves when it has tried" "$? $(joins)" "0 $before"
exec 9>&-
kill -9 "$(cat run.pid)"
wait "$(cat run.pid)" 2>/dev/null
gone() {
    for gone_pid in $left; do
        [ ! -d "/proc/$gone_pid" ] || grep -q '^State:	Z' "/proc/$gone_pid/status" || return 1
    done
}
ok "no node is left behind" wait_for 1 gone
ok "the command is not touched" kill -0 "$(cat command.pid)"
touch late
ok "and goes on to its end" wait_for 10 test -e went_on

# ---- hosts without an allocation ----
cat >remote <<'END'
#!/bin/sh
echo "$1" >>"$(dirname "$0")/hosts"
shift
exec "$@"
END
chmod +x remote
run --hosts 'h[1-2]' --launch "$SCRATCH/remote" --address 127.0.0.1 --plugins plugins/ones.lua --name far -- ./until far 2 2>err
is "nodes by a command of one's own" "$? $(sort hosts | tr '\n' ' ')$(grep -c '2 of 2 ranks' err)" "0 h1 h2 1"
is "are called as the hosts" "$(data far "SELECT DISTINCT host FROM samples ORDER BY host" | tr '\n' ' ')" "h1 h2 "
baro-session-node </dev/null 2>err
is "the program of a node wants its input" "$? $(grep -c 'started by .baro session run' err)" "1 1"
finish
