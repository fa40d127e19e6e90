#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parts of nodes, out of a played /sys: what barod has of them, on SQLite and on PostgreSQL; a memory module
# that moves from one host to another while both agents run is one part with both places, its errors go with
# it; a part that is gone, one that is replaced, a firmware that changed; numbers that are none; no agent
# states another host's parts.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
. "$(dirname "$0")/lib-postgres.sh"
requires jq curl python3 baro barod baro-agent
at_exit 'kill $(cat "$SCRATCH"/n?.pid) 2>/dev/null'
cd "$SCRATCH" || exit 1

play() { # HOST DIMM...
    play_host=$1
    shift
    python3 "$TOP/tests/sim/parts" "$SCRATCH/$play_host" "$@"
}
agent() { # HOST
    cat >"$1.conf" <<END
[agent]
source = none
root = $SCRATCH/$1
server = $url
token_file = $SCRATCH/token.$1
state = $SCRATCH/$1.state
spool = $SCRATCH/$1.spool
host = $1
cluster = alex
[node]
interval = 500ms
inventory_interval = 300ms
END
    baro-agent --config "$1.conf" 2>>"$1.log" &
    echo $! >"$1.pid"
}
inventory() { baro resource inventory --server "$url" --token-file "$SCRATCH/reader" -o json "$@"; }
part() { inventory --serial "$1" | jq -r '.[] | "\(.host) \(.slot) \(.corrected)"'; }
is_at() { [ "$(part "$1")" = "$2" ]; }
history() { inventory --history --serial "$1" | jq -r '.[] | "\(.change) \(.before // "-") > \(.after // "-")"' | tr '\n' ';'; }
has_history() { [ "$(history "$1")" = "$2" ]; }

inventory_test() { # ENGINE
    play n1 A1:3C4D5E6F:5 A2:AAAA1111:0 A3::0
    play n2 A1:BBBB2222:0 A2:CCCC3333:0
    agent n1
    agent n2
    ok "$1: a module is in its slot" wait_for 60 is_at 3C4D5E6F "n1 A1 5"
    ok "$1: another, too" wait_for 60 is_at CCCC3333 "n2 A2 0"
    is "$1: all parts of a host" "$(inventory --host n1 | jq -r '.[].class' | sort | uniq -c | tr -s ' \n' ' ')" \
        " 1 bios 1 board 2 cpu 2 dimm 1 disk 1 gpu 1 hca 1 nic 1 system "
    is "$1: a module, whole" "$(inventory --serial 3C4D5E6F |
        jq -r '.[] | "\(.vendor) \(.model) \(.size) \(.component)"')" "Samsung M393A4K40 34359738368 alex/n1/dimm:BANK_0_A1"
    is "$1: a disk" "$(inventory --class disk --hosts 'n[1-2]' | jq -r '.[] | "\(.host) \(.slot) \(.model) \(.serial) \(.firmware)"')" \
        "n1 0000:01:00.0 SAMSUNG PM9A3 S64F-n1 GDC5602Q
n2 0000:01:00.0 SAMSUNG PM9A3 S64F-n2 GDC5602Q"
    is "$1: processors and their microcode" "$(inventory --class cpu --host n1 | jq -r '.[] | "\(.slot) \(.firmware)"' | tr '\n' ' ')" \
        "cpu0 0xd0003b9 cpu1 0xd0003b9 "

    is "$1: so many rows at most" "$(inventory --limit 2 | jq length)" 2
    ok "$1: sizes for people" eval 'baro resource inventory --server "$url" --token-file reader --class dimm | grep -q " 32.*GiB"'
    ok "$1: and in full" eval 'baro resource inventory --raw --server "$url" --token-file reader --class dimm | grep -q 34359738368'
    ok "$1: times by a zone" eval 'baro resource inventory --server "$url" --token-file reader --class bios --zone +05:00 |
        grep -q "+05:00"'

    # The host that has it now may be the first to report it.
    play n2 A1:BBBB2222:0 A2:3C4D5E6F:2
    ok "$1: a module that moved is where it is" wait_for 60 is_at 3C4D5E6F "n2 A2 7"
    play n1 A2:AAAA1111:0
    play n1 A2:AAAA1111:0 A1:DDDD4444:0
    ok "$1: another in its old slot" wait_for 60 is_at DDDD4444 "n1 A1 0"
    ok "$1: it is one part, with both places" wait_for 60 has_history 3C4D5E6F "moved n1 A1 > n2 A2;found - > n1 A1;"
    ok "$1: what it took the slot of was replaced" has_history CCCC3333 "replaced CCCC3333 > 3C4D5E6F;found - > n2 A2;"
    is "$1: what is gone is in the list with --all alone" "$(inventory --serial CCCC3333 2>out | jq -c .) $(inventory --all --serial CCCC3333 |
        jq -r '.[] | "\(.why) \(.gone != null)"')" "[] replaced true"

    # From the host that had it first, with a report between.
    play n1 A1:DDDD4444:0
    ok "$1: a module is gone" wait_for 60 eval 'history AAAA1111 | grep -q "^gone"'
    play n2 A1:BBBB2222:0 A2:3C4D5E6F:2 A3:AAAA1111:0
    ok "$1: and is found elsewhere" wait_for 60 has_history AAAA1111 "moved n1 A2 > n2 A3;gone AAAA1111 > -;found - > n1 A2;"
    BIOS=2.2 play n1 A1:DDDD4444:0
    ok "$1: firmware that changed" wait_for 60 eval 'inventory --history --class bios --host n1 | jq -e "
        .[0] | .change == \"firmware\" and .before == \"2.1\" and .after == \"2.2\"" >out'
    is "$1: Not Specified is no part that moved" "$(inventory --history --class system | jq -r '.[].change' | sort -u)" found
    # Both have it, and stay.
    play n1 A1:DDDD4444:0 A4:BBBB2222:0
    ok "$1: it seems to have moved" wait_for 60 is_at BBBB2222 "n1 A4 0"
    BOOT=$(($(date +%s) - 1000)) play n2 A1:BBBB2222:1 A2:3C4D5E6F:2 A3:AAAA1111:0
    ok "$1: a number that two have is none of them" wait_for 60 eval '[ "$(inventory --serial BBBB2222 |
        jq -c "[.[] | .duplicate]")" = "[true,true]" ]'
    is "$1: an agent states its own host's parts alone" "$(printf '{"host":"n2","t":%s,"parts":[]}\n' "$(date +%s)" |
        curl -s -H "Authorization: Bearer $(cat token.n1)" -H 'Content-Type: application/x-ndjson' --data-binary @- \
            "$url/v1/resources/inventory" | jq -r '.refusals[0].reason')" "the token is for the host n1"
    is "$1: one less than 10 s after another is refused" "$(for soon in 60 65; do
        printf '{"host":"n1","t":%s,"parts":[]}\n' $(($(date +%s) + soon))
    done | curl -s -H "Authorization: Bearer $(cat token.n1)" -H 'Content-Type: application/x-ndjson' --data-binary @- \
        "$url/v1/resources/inventory" | jq -r '"\(.refused) \(.refusals[0].reason)"')" \
        "1 it is less than 10 s after the last report of its host"
    kill "$(cat n1.pid)" "$(cat n2.pid)"
    wait "$(cat n1.pid)" "$(cat n2.pid)"
}

roles_start
token token.n1 --role agent --host n1 --cluster alex
token token.n2 --role agent --host n2 --cluster alex
chmod 600 reader token.n1 token.n2 admin
inventory_test SQLite
if pg_available && pg_share; then
    end_barod
    rm -rf n1 n2 ./*.state ./*.spool
    sed -i "s|^path = .*|engine = postgres\\nconnection = $PG_CONNECTION|" barod.conf
    ok "barod starts with PostgreSQL" start_barod
    inventory_test PostgreSQL
fi
for log in *.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
