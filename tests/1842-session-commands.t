#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an administrator sees of a session: who is online, each node's place and numbers, events
# as they come; a node that is gone, one that is stopped, a reader that may not publish.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires jq curl

cd "$SCRATCH" || exit 1
mkdir run
socket=$SCRATCH/barod.sock
BARO_SERVER=unix:$socket
export BARO_SERVER
at_exit 'kill -CONT $(cat "$SCRATCH"/*.pid); kill $(cat "$SCRATCH"/*.pid); wait'
session() { # RANK
    printf '[session]\nsize = 5\nfanout = 2\naddress = unix:%s/run/%%r.sock\nrank = %s\nheartbeat = 500ms\n' \
        "$SCRATCH" "$1"
    printf 'period = 1s\nlead = 300ms\ndeadline = 900ms\nstate = %s/state\n' "$SCRATCH"
}
{
    printf '[records]\npath = %s/r.db\n[net]\nlisten = 127.0.0.1:0\nsocket = %s\n' "$SCRATCH" "$socket"
    printf 'key = %s/key.pub\n[store]\ndirectory = %s/store\n' "$SCRATCH" "$SCRATCH"
    session 0
} >barod.conf
baro token key new key >/dev/null
start_barod() {
    barod --config barod.conf 2>>barod.log &
    echo $! >0.pid
    wait_for 10 baro stats
}
start_agent() { # RANK
    {
        printf '[agent]\nsource = none\nserver = %s\nstate = %s/agent%s\nspool = %s/agent%s/spool\n' \
            "$BARO_SERVER" "$SCRATCH" "$1" "$SCRATCH" "$1"
        printf 'host = rank%s\ncluster = test\n' "$1"
        session "$1"
    } >"agent$1.conf"
    baro-agent --config "agent$1.conf" 2>>"agent$1.log" &
    echo $! >"$1.pid"
}
start_barod
is "no epoch has ended yet, or it has" "$(baro session show -o json 2>/dev/null | jq -r ".[0].state")" online
for rank in 1 2 3 4; do start_agent $rank; done

shows() { # STATE HOSTS
    [ "$(baro session show -o json 2>/dev/null | jq -r ".[] | select(.state == \"$1\") | .hosts")" = "$2" ]
}
ok "all are online" wait_for 20 shows online "rank[0-4]"
ok "and contribute" wait_for 20 shows contributed "rank[0-4]"
ok "none is absent" shows absent null
ok "the note has the epoch" eval 'baro session show | grep -q "Epoch [0-9]* of incarnation 1"'

nodes() { baro session nodes "$@" -o json 2>notes | jq -c '[.[] | [.host, .state, .parent, .depth, .children]]'; }
is "each node has its place" "$(nodes)" \
    '[["rank0","online",null,0,2],["rank1","online","rank0",1,2],["rank2","online","rank0",1,0],["rank3","online","rank1",2,0],["rank4","online","rank1",2,0]]'
is "of a set those alone" "$(nodes 'rank[2-3]' | jq -c 'map(.[0])')" '["rank2","rank3"]'
ok "epochs are counted, and times known" eval \
    'baro session nodes rank4 -o json | jq -e ".[0] | .epochs > 0 and .round_trip > 0 and .round_trip < 2 and .burst_max > 0" >/dev/null'
ok "hosts that are not in it are reported" eval '! baro session nodes nosuch 2>err && grep -q "no node of the session" err'
ok "a wrong set is refused" eval '! baro session nodes "rank[3-" 2>err && grep -q host err'

is "joins are events" "$(baro event list -o json | jq -r '[.[] | select(.name == "session.join") | .payload] | join(",") | split(",") | map(split("-") | if length > 1 then [range(.[0] | tonumber; (.[1] | tonumber) + 1)] else [.[0] | tonumber] end) | flatten | sort | unique | map(tostring) | join(" ")')" "0 1 2 3 4"
baro event list --follow -o csv >followed 2>followed.err &
follower=$!
at_exit "kill $follower"
ok "an event is published" baro event publish site.drained "rack 7, no power"
has_followed() { grep -q 'site.drained,"\?rack 7, no power' followed; }
ok "and followed at once" wait_for 5 has_followed
is "it has the publisher's user" "$(baro event list -o json | jq -r '.[] | select(.name == "site.drained") | [.host, .uid] | join(" ")')" \
    "rank0 $(id -u)"
last=$(baro event list --limit 1 -o json | jq -r '.[0].id')
is "the last one is the newest" "$(baro event list --after "$last" -o json | jq length)" 0
is "after another there is one" "$(baro event list --after "${last%.*}.$((${last#*.} - 1))" -o json | jq -r '.[].id')" "$last"
ok "bytes of a payload are shown harmlessly" eval \
    'baro event publish site.odd "$(printf "a\033[31mb")" && wait_for 5 eval "baro event list | grep -qF \"a\\\\x1B[31mb\""'
for wrong in "bad name" "session.join" "a/b"; do
    ok "a name is refused: $wrong" eval '! baro event publish "$wrong" x 2>err && [ -s err ]'
done
ok "a payload over 4 KiB is refused" eval '! baro event publish site.long "$(head -c 4097 /dev/zero | tr "\0" x)" 2>err && grep -q 4096 err'
ok "one of 4 KiB is not" eval 'baro event publish site.long "$(head -c 4096 /dev/zero | tr "\0" x)"'
# Over TCP by a reader's token: everything may be read, nothing published.
port=$(sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' barod.log | head -n 1)
baro token new --role reader --key key --output reader.token >/dev/null
status() { curl -s -o out -w '%{http_code}' -H "Authorization: Bearer $(cat reader.token)" "$@"; }
is "a reader reads" "$(status "http://127.0.0.1:$port/v1/events")" 200
is "and does not publish" "$(status -X POST --data-binary x "http://127.0.0.1:$port/v1/events/site.x")" 403
is "an unknown parameter is refused" "$(status "http://127.0.0.1:$port/v1/events?since=1.2")" 400
is "a wait of an hour, too" "$(status "http://127.0.0.1:$port/v1/events?wait=1h")" 400
is "nothing comes: the wait ends" "$(status "http://127.0.0.1:$port/v1/events?after=999.1&wait=300ms")" 200

# A node that hangs is online until three heartbeats have passed, one that is killed is absent.
kill -STOP "$(cat 2.pid)"
no_answer() { baro session nodes rank2 -o json 2>/dev/null | jq -e '.[0].state != "online"' >/dev/null; }
ok "a node that hangs does not respond, or is absent" no_answer
kill -CONT "$(cat 2.pid)"
ok "it is back" wait_for 20 shows online "rank[0-4]"
kill -9 "$(cat 1.pid)"
ok "a killed node is absent" wait_for 20 shows absent rank1
is_below_root() { [ "$(nodes rank3)" = '[["rank3","online","rank0",1,0]]' ] || [ "$(baro session nodes rank3 -o json 2>/dev/null | jq -r '.[0].parent')" = rank0 ]; }
ok "its children have another parent" wait_for 20 is_below_root
is "an absent node has no numbers" "$(nodes rank1)" '[["rank1","absent",null,null,null]]'
start_agent 1
ok "and it comes back" wait_for 20 shows online "rank[0-4]"

# 70 wait for an event: six are refused, and barod stops at once.
rm -f wait.*
i=0
while [ $i -lt 70 ]; do
    curl -s -o /dev/null -w '%{http_code}\n' --unix-socket "$socket" "http://x/v1/events?after=999.1&wait=60s" >"wait.$i" &
    echo $! >>waiters
    i=$((i + 1))
done
refused() { [ "$(cat wait.* | grep -c 503)" -ge 6 ]; }
ok "as many as can wait do, the others are refused" wait_for 20 refused
begin=$(date +%s)
kill "$(cat 0.pid)"
# shellcheck disable=SC2046 # words
wait $(cat 0.pid waiters)
ok "barod does not wait for them" [ $(($(date +%s) - begin)) -lt 30 ]
is "each has a response" "$(cat wait.* | grep -c 503)" 70
start_barod
ok "the incarnation grows" wait_for 20 eval 'baro session show | grep -q "incarnation 2"'
has_events_of_it() { baro event list -o json | jq -e 'any(.[]; .id | startswith("2."))' >/dev/null; }
ok "events are numbered in it" wait_for 20 has_events_of_it
ok "who follows has them, too" wait_for 20 grep -q "^2\." followed
is "and one line of the time without barod" "$(grep -c "trying again" followed.err)" 1
for log in barod agent1 agent2 agent3 agent4; do
    is "$log.log has no error" "$(grep -c ' error: \|Sanitizer' $log.log)" 0
done
finish
