#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A plan, made from a seed: what plugins of sessions publish and state, while agent, barod, nodes and sessions are
# killed, networks are cut, and one session is ended in the middle; two of the sessions are in others. What the site
# has at the end is what follows from the plan, line by line: nothing twice, nothing lost that was accepted, what was
# lost counted, each node's health and each session's end as they were. With both engines of records.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-postgres.sh
. "$(dirname "$0")/lib-postgres.sh"
requires jq sqlite3 python3 curl
SEED=${SEED:-1881}
echo "# SEED=$SEED"
chmod 755 "$SCRATCH"
uid=0
as() { "$@"; }
# A Python of root's own is none of a user's.
python=python3
if [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 --clear-groups test -x "$BUILD/src/cmd/baro" &&
    python=$(PATH=$(getconf PATH) command -v python3); then
    uid=65534
    as() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
fi
cut="${python:-python3} $TOP/tests/session/cut.py"
plan="python3 $TOP/tests/session/plan.py"
at_exit 'for d in "$SCRATCH"/*/home; do touch "$d/over"; done; kill -9 $(cat "$SCRATCH"/*.pid "$SCRATCH"/*/*.pid "$SCRATCH"/*/home/*.pid "$SCRATCH"/*/home/*.node); wait'

# ---- the site: barod, and the agent of the one node, which reaches it by a network ----
session() { # RANK
    printf '[session]\nsize = 2\naddress = unix:%s/run/%%r.sock\nrank = %s\nheartbeat = 500ms\nperiod = 1s\nlead = 300ms\ndeadline = 900ms\nstate = %s/state\n' \
        "$PWD" "$1" "$PWD"
}
site_configure() { # ENGINE
    {
        if [ "$1" = postgres ]; then
            printf '[records]\nengine = postgres\nconnection = %s\n' "$PG_CONNECTION"
        else
            printf '[records]\npath = %s/r.db\n' "$PWD"
        fi
        printf '[net]\nlisten = none\nsocket = %s/barod.sock\n[access]\nsocket_role = user\n[resource]\nhost = emmy/h[1-7]\n' "$PWD"
        session 0
    } >barod.conf
    {
        printf '[agent]\nsource = none\nroot = %s/root\nserver = unix:%s/net.sock\nstate = %s/agent\nspool = %s/spool\nhost = n1\ncluster = emmy\n[node]\nsocket = %s/agent.sock\n' \
            "$PWD" "$PWD" "$PWD" "$PWD" "$PWD"
        session 1
    } >agent.conf
}
start_barod() {
    barod --config barod.conf 2>>barod.log &
    echo $! >barod.pid
    wait_for 20 baro stats
}
start_agent() {
    baro-agent --config agent.conf 2>>agent.log &
    echo $! >agent.pid
}
end_program() { # SIGNAL NAME
    kill "-$1" "$(cat "$2.pid")"
    wait "$(cat "$2.pid")" 2>/dev/null
}
start_networks() {
    $cut relay "$PWD/net.sock" "$PWD/barod.sock" "$PWD/net.gate" 2>>cut.log &
    echo $! >net.pid
    as sh -c 'echo $$ >home/socket.pid; exec "$@"' sh $cut relay "$PWD/home/agent.sock" "$PWD/agent.sock" \
        "$PWD/socket.gate" "$PWD/home/accepted" 2>>cut.log &
    wait_for 10 test -S net.sock && wait_for 10 test -S home/agent.sock
}

# ---- sessions: each node has a plugin that reads its own part of the plan ----
make_plugins() {
    mkdir home/plugins
    for host in h1 h2 h3 h4 h5 h6 h7; do
        mkdir "home/plugins.$host"
        : >"plan/$host"
        : >"plan/$host.released"
        sed "s|FILE|$PWD/plan/$host|" >"home/plugins.$host/plan.lua" <<'END'
plugin { name = "plan", version = "1", reads = { "FILE" }, health = { "host", "dimm:1", "fan:2" },
         events = { { "low", "info" }, { "alarm", "error" }, { "own", "info" } } }
local done = 0
function source(t)
    local number = 0
    for line in (read("FILE") or ""):gmatch("([^\n]*)\n") do
        number = number + 1
        if number > done then
            done = number
            local kind, a, b, c = line:match("^%d+\t(%a+)\t([^\t]*)\t([^\t]*)\t?(.*)$")
            if kind == "event" then event(a, b) else health(a, b, c) end
        end
    end
end
END
    done
    cp home/plugins.h1/plan.lua home/plugins
}
# The commands: each has the number of its session's program in a file, and lasts until the test ends it.
make_commands() {
    cat >run.sh <<END
#!/bin/sh
# run.sh NAME HEARTBEAT HOSTS COMMAND...
name=\$1 heartbeat=\$2 hosts=\$3
shift 3
exec baro session run --hosts "\$hosts" --launch "$cut node $PWD/home" --address 127.0.0.1 --period 200ms \\
    --heartbeat "\$heartbeat" --plugins home/plugins --read "$PWD/plan/*" --name "\$name" \\
    --site-event plan.low --site-event '*.alarm' -- "\$@" 2>"home/\$name.err"
END
    cat >command.sh <<'END'
#!/bin/sh
# command.sh NAME [INNER HEARTBEAT HOSTS]: INNER is a session in NAME
echo $PPID >"home/$1.pid"
if [ -n "$2" ]; then
    (
        ./run.sh "$2" "$3" "$4" ./command.sh "$2"
        echo $? >"home/$2.status"
    ) &
fi
until [ -e home/over ]; do sleep 0.1; done
[ -z "$2" ] || wait
exit 3
END
    chmod 755 run.sh command.sh
}
start_session() { # NAME HEARTBEAT HOSTS [INNER HEARTBEAT HOSTS]
    (
        as env HOME="$PWD/home" XDG_DATA_HOME="$PWD/home" BARO_AGENT="$PWD/home/agent.sock" \
            ./run.sh "$1" "$2" "$3" ./command.sh "$1" "$4" "$5" "$6"
        echo $? >"home/$1.status"
    ) &
}
data() { # NAME SQL
    session_rows "home/barograph/sessions/$1/session.db" "$2"
}
# What the control node had of a node of it, of any kind.
controlled() { # NAME HOST
    data "$1" "SELECT count(*) FROM events WHERE host = '$2' AND (name LIKE 'plan.%' OR name = 'health')"
}
has_all() { # NAME HOST
    [ "$(controlled "$1" "$2")" -ge "$(wc -l <"plan/$2.released")" ]
}
id_of() { # NAME
    data "$1" "SELECT value FROM session WHERE key = 'session'"
}
# How many events of it the agent accepted.
accepted() { # NAME
    sed -n 's/^session //p' home/accepted |
        jq -r --arg id "$(id_of "$1")" 'select(.session == $id and .sequence) | .sequence' | sort -nu | wc -l
}
has_accepted() { # NAME COUNT
    [ "$(accepted "$1")" -ge "$2" ]
}

# ---- the steps ----
session_of() { # HOST
    case $1 in
        h1 | h2) echo outer ;;
        h3) echo inner ;;
        h4) echo doomed ;;
        h5) echo orphan ;;
        h6) echo torn ;;
        *) echo silent ;;
    esac
}
release() { # STEP
    for host in $living; do
        cat "plan/$host.$1" >>"plan/$host.released"
        cat "plan/$host.$1" >>"plan/$host"
    done
}
arrived() { # HOSTS: their control nodes have what was released
    for arrived_host in $1; do
        wait_for 20 has_all "$(session_of "$arrived_host")" "$arrived_host" || {
            echo "$arrived_host has $(controlled "$(session_of "$arrived_host")" "$arrived_host") of $(wc -l <"plan/$arrived_host.released")"
            return 1
        }
    done
}
without() { # HOST
    for without_host in $living; do
        [ "$without_host" = "$1" ] || printf '%s ' "$without_host"
    done
}
lost_nodes() { data outer "SELECT count(*) FROM events WHERE name = 'session.lost'"; }
has_lost() { [ "$(lost_nodes)" -gt "$1" ]; }
has_lines() { [ "$(wc -l <home/accepted)" -gt "$1" ]; }
has_more() { [ "$(controlled "$1" "$2")" -gt "$3" ]; }
kill_session() { # NAME HOST: when some of what it has for the site is there, and not all
    accepted_before=$(accepted "$1")
    release "$step"
    wait_for 20 has_accepted "$1" $((accepted_before + 2))
    kill -9 "$(cat "home/$1.pid")"
    living=$(without "$2")
}
step_run() {
    case $step in
        quiet | last)
            release "$step"
            arrived "$living"
            ;;
        net)
            echo hold >net.gate
            release net
            arrived "$living"
            ;;
        agent | barod)
            end_program KILL "$step"
            release "$step"
            arrived "$living"
            ;;
        agent_ends)
            end_program TERM agent
            release agent_ends
            arrived "$living"
            ;;
        child)
            lost_before=$(lost_nodes)
            echo hold >home/h2.gate
            wait_for 20 has_lost "$lost_before"
            release child
            arrived "$(without h2)"
            ;;
        mute | reset)
            lines_before=$(wc -l <home/accepted)
            echo "$step" >socket.gate
            release "$step"
            arrived "$living"
            [ "$step" = reset ] || wait_for 20 has_lines $((lines_before + 2))
            ;;
        all)
            echo hold >net.gate
            end_program KILL agent
            end_program KILL barod
            release all
            arrived "$living"
            ;;
        inner) kill_session inner h3 ;;
        doomed) kill_session doomed h4 ;;
        member)
            member_before=$(controlled outer h1)
            release member
            wait_for 20 has_more outer h1 "$member_before"
            kill -9 "$(cat home/h1.node)"
            living=$(without h1)
            ;;
        torn)
            release torn
            wait_for 20 has_accepted torn 4
            kill -TERM "$(cat home/torn.pid)"
            living=$(without h6)
            wait_for 20 test -s home/torn.status
            ;;
        silent)
            release silent
            wait_for 20 has_accepted silent 2
            echo reset >socket.gate
            kill -TERM "$(cat home/silent.pid)"
            living=$(without h7)
            wait_for 20 test -s home/silent.status
            ;;
    esac
}
step_heal() {
    rm -f net.gate home/h2.gate socket.gate
    case $step in
        agent | agent_ends) start_agent ;;
        barod) start_barod ;;
        all) start_agent && start_barod ;;
    esac
}

# ---- what the site has at the end ----
sessions="outer inner doomed orphan torn silent"
# NAME, the session that it is in, its state.
states() {
    baro session list -o json | jq -r '.[] | "\(.name) \(.parent // "-") \(.state)"' | sort
}
states_want="doomed - lost
inner outer lost
orphan doomed ended
outer - ended
silent - lost
torn - ended"
reason() { # NAME
    baro session list -o json | jq -r ".[] | select(.name == \"$1\") | .reason"
}
# The same by HTTP, without the command.
states_by_http() {
    curl -s --unix-socket barod.sock http://x/v1/sessions | tee sessions.json |
        jq -r '[.columns[].name] as $names | .rows[] | [$names, .] | transpose | map({(.[0]): .[1]}) | add | "\(.name) \(.parent // "-") \(.state)"' | sort
}
events_read() {
    for name in $sessions; do
        baro session show "$name" --events --raw -o json >"$name.json" 2>notes || return 1
    done
}
are_settled() { # nothing is under way any more
    [ "$(states)" = "$states_want" ] && events_read && for name in $sessions; do
        [ "$(jq length "$name.json")" -ge "$(accepted "$name")" ] || return 1
    done
}
# Of a host whose node or session was killed or ended: the site has the first of what follows from the plan.
compare_first() { # NAME HOST
    $plan got "$1.json" "$2" >got
    $plan want plan "$2" | head -n "$(wc -l <got)" >want
    cmp got want
}
lost_of() { # HOST: how many of the plan the site does not have
    echo $(($($plan want plan "$1" | wc -l) - $($plan got "$(session_of "$1").json" "$1" | wc -l)))
}
opinion() { # HOST
    baro resource show "emmy/$1" -o json | jq -r ".[] | select(.source == \"user:$uid\") | \"\(.health) \(.reason // \"\")\" | rtrimstr(\" \")"
}
check_site() {
    is "$engine: the sessions, in which, and how they are" "$(states)" "$states_want"
    is "$engine: so they are by HTTP" "$(states_by_http)" "$states_want"
    is "$engine: both that ended by themselves with their status" "$(reason outer), $(reason orphan)" "exit status 3, exit status 3"
    for name in $sessions; do
        is "$engine: $name: each number once, none is missing" "$($plan numbers "$name.json")" "$(jq length "$name.json")"
    done
    # Line by line.
    is "$engine: outer: all of the node that lived, whose network was cut" "$($plan got outer.json h2)" "$($plan want plan h2)"
    is "$engine: orphan, whose outer session was killed: all" "$($plan got orphan.json h5)" "$($plan want plan h5)"
    is "$engine: outer: of the node that was killed all that its control node had" "$($plan got outer.json h1)" \
        "$($plan want plan "h1=$(controlled outer h1)")"
    for host in h3 h4 h6 h7; do
        name=$(session_of "$host")
        ok "$engine: $name: the first of the plan, in its order" compare_first "$name" "$host"
        is "$engine: $host: what was stated last is the user's opinion" "$(opinion "$host")" \
            "$(sed -n "s/^$host health //p" got | tail -n 1)"
    done
    for host in h2 h5; do
        is "$engine: $host: what was stated last is the user's opinion" "$(opinion "$host")" \
            "$($plan want plan "$host" | sed -n "s/^$host health //p" | tail -n 1)"
    done
    # One more may have arrived whose response did not.
    for name in inner doomed; do
        ok "$engine: $name, which was killed: all that was accepted, and no more" \
            test "$(($(jq length "$name.json") - $(accepted "$name")))" -le 1
    done
    torn_lost=$(lost_of h6)
    is "$engine: torn: its end, and how many are lost" "$(reason torn)" \
        "exit status 143$([ "$torn_lost" = 0 ] || echo "; $torn_lost events for the site are lost")"
    silent_lost=$(sed -n 's/.*the site does not have \([0-9]*\) reports of the session: .*/\1/p' home/silent.err)
    silent_more=$((silent_lost - $(lost_of h7) - 1))
    ok "$engine: silent: its owner has how many are lost, its end among them" \
        test "$silent_lost" -gt 1 -a "$silent_more" -ge 0 -a "$silent_more" -le 1
    is "$engine: nothing of the inner session is the outer's own" "$(controlled outer h3) $(controlled doomed h5)" "0 0"
}
scenario() { # ENGINE
    engine=$1
    SCRATCH=$SCRATCH/$engine
    mkdir -m 777 "$SCRATCH" && cd "$SCRATCH" || return 1
    mkdir -p run root/proc plan
    mkdir -m 777 home
    BARO_SERVER=unix:$PWD/barod.sock
    export BARO_SERVER
    site_configure "$engine"
    $plan make "$SEED" plan
    make_plugins
    make_commands
    echo "# $engine: $(tr '\n' ' ' <plan/steps)"
    start_networks
    ok "$engine: barod starts" start_barod
    start_agent
    wait_for 10 test -S agent.sock
    start_session outer 500ms 'h[1-2]' inner 400ms h3
    start_session doomed 400ms h4 orphan 500ms h5
    start_session torn 500ms h6
    start_session silent 400ms h7
    for name in $sessions; do wait_for 30 test -s "home/$name.pid"; done
    living="h1 h2 h3 h4 h5 h6 h7"
    while read -r step; do
        ok "$engine: step $step" step_run
        step_heal
        [ "$test_failed" -eq 0 ] || break
    done <plan/steps
    [ "$test_failed" -eq 0 ] || return
    touch home/over
    for name in outer orphan; do wait_for 20 test -s "home/$name.status"; done
    ok "$engine: the site has all that was accepted, and which sessions are lost" wait_for 30 are_settled
    check_site
    end_program KILL barod
    start_barod
    mkdir before
    mv ./*.json before
    events_read
    ok "$engine: after another kill of barod it has the same" eval 'for name in $sessions; do cmp "$name.json" "before/$name.json" || exit 1; done'
}
# Both at the same time; what they found, one after the other.
replay() { # TAP
    while read -r line; do
        case $line in
            "ok "*) pass "${line#ok * - }" ;;
            "not ok "*) fail "${line#not ok * - }" ;;
            *) echo "$line" ;;
        esac
    done <"$1"
}
start_scenario() { # ENGINE
    (scenario "$1") >"$SCRATCH/$1.tap" 2>&1 &
    echo $! >"$SCRATCH/$1.pid"
}
engines=sqlite
if pg_available && pg_share; then
    engines="sqlite postgres"
else
    skip "the same with PostgreSQL" "no PostgreSQL server programs are installed"
fi
for engine in $engines; do start_scenario "$engine"; done
for engine in $engines; do wait "$(cat "$SCRATCH/$engine.pid")"; done
for engine in $engines; do replay "$SCRATCH/$engine.tap"; done
finish
