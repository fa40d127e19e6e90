#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hosts that send become components by themselves: by samples, as members of a session.  One that is
# silent is unknown, with since when and why, and so are its parts; never down; it is up again when it
# sends.  Names that are none, and too many, are refused and logged; after a restart of barod what was
# known is known.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
requires jq curl
cd "$SCRATCH" || exit 1
at_exit 'kill $(cat "$SCRATCH"/*.agent "$SCRATCH/watch.pid" "$SCRATCH/sends.pid" 2>/dev/null) 2>/dev/null'

mkdir run root
session() {
    printf '[session]\nsize = 2\ncluster = alex\naddress = unix:%s/run/%%r.sock\nrank = %s\nheartbeat = 200ms\nperiod = 200ms\nlead = 50ms\ndeadline = 150ms\nstate = %s/session%s\n' \
        "$SCRATCH" "$1" "$SCRATCH" "$1"
}
roles_start "[resource]
discover = 5
silent_after = 2s
$(session 0)"
chmod 600 reader admin
as() { # TOKEN ARGUMENTS
    as_token=$1
    shift
    baro "$@" --server "$url" --token-file "$SCRATCH/$as_token"
}
state() { # COMPONENT
    as reader resource list -p -o json "$1" | jq -r --arg c "$1" '.[] | select(.component == $c) | .health + " " + (.reason // "-")' |
        sed 's/ [0-9-]*T[0-9:.]*Z/ TIME/'
}
is_state() { [ "$(state "$1")" = "$2" ]; }
sends() { # HOST...: until it is ended, twice a second
    while :; do
        for sends_host in "$@"; do
            printf 'load,cluster=alex,hostname=%s,type=node value=1 %s\n' "$sends_host" "$(date +%s%N)"
        done | curl -s --unix-socket "$socket" --data-binary @- 'http://x/api/write?open=1&precision=ns' >written
        sleep 0.3
    done
}
begin_sending() {
    sends "$@" &
    echo $! >sends.pid
}
end_sending() {
    kill "$(cat sends.pid)"
    wait "$(cat sends.pid)" 2>/dev/null
}
as reader resource watch -o csv --after 0.0 >watched 2>err &
echo $! >watch.pid
begin_sending a1 a2
ok "hosts that send are components by themselves" wait_for 20 is_state alex/a1 "up -"
ok "all of them" wait_for 20 is_state alex/a2 "up -"
is "by presence" "$(as reader resource show -o json alex/a1 | jq -r '.[].source')" system:presence
printf '{"component":"alex/a2/dimm:1","health":"up","source":"edac"}\n{"component":"alex/a1/dimm:1","health":"up","source":"edac"}\n' |
    curl -s -H "Authorization: Bearer $(cat admin)" -H 'Content-Type: application/x-ndjson' --data-binary @- "$url/v1/resources" >out
is "a part is what is stated of it" "$(state alex/a2/dimm:1)" "up -"
end_sending
begin_sending a1
ok "one that is silent is unknown, and why" wait_for 30 is_state alex/a2 "unknown presence: no sample since TIME"
is "so are its parts" "$(state alex/a2/dimm:1)" "unknown presence: no sample since TIME"
is "the other is up" "$(state alex/a1) $(state alex/a1/dimm:1)" "up - up -"
is "it is no reason against the host" "$(as reader resource check --hosts a2; echo $?)" 0
has_watched() { grep -q "$1" watched; }
ok "watch has it as it comes" wait_for 10 has_watched "alex/a2,up,unknown,presence: no sample since"
end_sending
begin_sending a1 a2
ok "it is up when it sends again" wait_for 20 is_state alex/a2 "up -"
ok "with its parts" wait_for 20 is_state alex/a2/dimm:1 "up -"
is "nothing was ever down" "$(grep -c ',down,' watched)" 0

# ---- names, and how many ----
end_sending
begin_sending a1 a2 'b\ 1' a4 a5 a6 a7
refused() { as admin stats | awk '$1 == "baro_resource_hosts_refused_total" && $2 > 3 { n = 1 } END { exit !n }'; }
ok "what is no name of a host, and too many, are refused" wait_for 20 refused
known() { as reader resource list -o json | jq 'length'; }
ok "and do not become components" [ "$(known)" -le 5 ]
ok "which is logged" grep -q "do not become components" barod.log

# ---- a restart ----
end_sending
end_barod
ok "barod starts again" start_barod
is "what was known is" "$(state alex/a1)" "up -"
begin_sending a1
heard() { as admin stats | awk '$1 == "baro_resource_hosts_heard" && $2 > 0 { n = 1 } END { exit !n }'; }
ok "and what sends goes on" wait_for 20 heard

# ---- a member of the session ----
end_sending
printf '[agent]\nsource = none\nroot = %s/root\nserver = unix:%s\nstate = %s/state1\nspool = %s/spool1\nhost = rank1\ncluster = alex\n%s\n' \
    "$SCRATCH" "$socket" "$SCRATCH" "$SCRATCH" "$(session 1)" >agent.conf
end_barod
sed -i 's/^discover = .*/discover = 100/' barod.conf
ok "barod starts with more" start_barod
baro-agent --config agent.conf 2>agent.log &
echo $! >rank1.agent
ok "a member of the session is a component" wait_for 20 is_state alex/rank1 "up -"
kill -9 "$(cat rank1.agent)"
ok "one that the session lost is unknown" wait_for 20 is_state alex/rank1 "unknown presence: lost by the session at TIME"
baro-agent --config agent.conf 2>>agent.log &
echo $! >rank1.agent
ok "until it is back" wait_for 20 is_state alex/rank1 "up -"
for log in barod.log agent.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
