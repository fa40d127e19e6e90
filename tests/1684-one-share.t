#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The share that a job had of what its file system did is one number on its page, though rows of
# jobstats and the totals of servers both tell it: jobs of a played centre, with both.
. "$(dirname "$0")/lib.sh"
requires python3 curl jq
cd "$SCRATCH" || exit 1

"$TOP/tests/sim/centre/run" --build "$BUILD" --seed 402 --trouble contended-ost --jobs 4 --json --keep played >score 2>err || cat err
place=$(find played -name started.conf -exec dirname {} \;)
ok "a centre is played" test -n "$place"
sed "s|^socket = .*|socket = $SCRATCH/sock|" "$place/started.conf" >barod.conf
BARO_CLOCK=$PWD/$place/clock.page barod --config barod.conf >barod.log 2>&1 &
pid=$!
at_exit "kill -9 $pid"
ok "its barod starts again" wait_for 30 curl -sf --unix-socket sock -o healthz http://x/healthz
get() { curl -s --unix-socket sock "http://x$1"; }
# What states a share of the bytes, in any section.
shares() { grep -oE '[0-9.]+ % of the bytes|had [0-9.]+ % of it'; }
for id in $(jq -r '.jobs[] | select(.kind == "contended-ost" and .log).id' "$place/truth.json" | head -n 3); do
    get "/v1/jobs/$id" >page.json
    is "job $id has rows of it and totals of the servers" \
        "$(jq -c '[.servers.part_bytes > 0, .weather != null]' page.json)" "[true,true]"
    part=$(printf %.1f "$(jq '.servers.part_bytes * 100' page.json)")
    is "its page has one share, that of its rows" "$(get "/v1/jobs/$id?format=text" | shares)" "$part % of the bytes"
    is "and so has that for a browser" "$(get "/v1/jobs/$id/page" | shares)" "$part % of the bytes"
    # Of a finding that others did most the evidence is the rest of it.
    rest=$(jq '.findings[] | select(.name == "contention").value' page.json)
    ok "what others had is the rest" sh -c "jq -en '(${rest:-0} == 0) or ((1 - $part / 100 - ${rest:-0}) | fabs) < 0.01'"
done
finish
