#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A user's session, seen from the site's: by the agent of its node the site hears that it began and ended, whose it
# is, and the events that she names; what the agent refuses, or an agent that is away, costs her command nothing.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1
chmod 755 "$SCRATCH"
mkdir -p run root/proc plugins
BARO_SERVER=unix:$SCRATCH/barod.sock
export BARO_SERVER
at_exit 'kill $(cat "$SCRATCH"/*.pid); wait'
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
    printf '[agent]\nsource = none\nroot = %s/root\nserver = %s\nstate = %s/agent\nspool = %s/spool\nhost = n1\ncluster = emmy\n[node]\nsocket = %s/agent.sock\n' \
        "$SCRATCH" "$BARO_SERVER" "$SCRATCH" "$SCRATCH" "$SCRATCH"
    session 1
} >agent.conf
barod --config barod.conf 2>barod.log &
echo $! >barod.pid
wait_for 10 baro stats
baro-agent --config agent.conf 2>agent.log &
echo $! >agent.pid
ok "the agent has its socket" wait_for 10 test -S agent.sock
online() { [ "$(baro session show -o json 2>/dev/null | jq -r '.[] | select(.state == "online") | .hosts')" = "rank[0-1]" ]; }
ok "and is in the site's session" wait_for 10 online
cat >plugins/ones.lua <<'END'
plugin { name = "ones", version = "1", reads = { "/proc/loadavg" }, metrics = { { "mine", "1" } },
         events = { { "second", "warning" }, { "hers", "info" } } }
local calls = 0
function source(t)
    calls = calls + 1
    sample("mine", 4)
    if calls == 2 then
        event("second", "of her own")
        event("hers", "not for others")
    end
end
END
chmod 755 plugins
uid=0 prefix=
as() { "$@"; }
if [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 --clear-groups test -x "$BUILD/src/cmd/baro"; then
    uid=65534 prefix=user.
    as() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
fi
mkdir -m 777 home
run() { # NAME OPTIONS...: until her events are stored
    name=$1
    shift
    as env HOME="$SCRATCH/home" XDG_DATA_HOME="$SCRATCH/home" baro session run --size 2 --period 200ms --heartbeat 300ms \
        --plugins plugins --name "$name" "$@" -- sh -c "until [ \"\$(sqlite3 -readonly -cmd '.timeout 10000' $SCRATCH/home/barograph/sessions/$name/session.db 'SELECT count(*) FROM events WHERE host != \"control\"')\" = 4 ]; do sleep 0.1; done; exit 3"
}
events() { # JQ
    baro event list -o json | jq -rc "$1"
}

run first --agent "$SCRATCH/agent.sock" --site-event 'ones.sec*' 2>err
is "a session with an agent" "$? $(grep -c 'did not hear' err)" "3 0"
began() { [ "$(events ".[] | select(.name == \"${prefix}child.session\") | .payload | fromjson | .state" | tr '\n' ' ')" = "running ended " ]; }
ok "the site heard of its begin and its end" wait_for 10 began
is "which it is, and whose by the kernel's word" \
    "$(events "[.[] | select(.name == \"${prefix}child.session\")][0] | [.host, .uid, (.payload | fromjson | .name, .ranks, (.address | startswith(\"127.0.0.1:\")))]")" \
    "[\"rank1\",$uid,\"first\",2,true]"
is "and the events that are named, with their payload" \
    "$(events ".[] | select(.name == \"${prefix}ones.second\") | [.host, .uid, (.payload | fromjson | .text)]" | sort | uniq -c | tr -s ' ')" \
    " 2 [\"rank1\",$uid,\"of her own\"]"
is "no others" "$(events '.[] | select(.name | test("hers"))')" ""
baro event list -o json >before
run second 2>err
is "without an agent the site hears of nothing" "$? $(jq length before) $(baro event list -o json | jq length)" \
    "3 $(jq length before) $(jq length before)"
run third --agent "$SCRATCH/none.sock" 2>err
is "one that is away costs a warning" "$? $(grep -c 'did not hear of 2 events' err)" "3 1"
finish
