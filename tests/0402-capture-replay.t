#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A capture, and its replay: the same rows as the agent's, also when sent twice.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/agent/agent.sh
. "$TOP/tests/agent/agent.sh"

agent_world 2.15.8
URL=http://127.0.0.1:$(cat "$SCRATCH/port")
capture() {
    baro jobstats capture --rounds 1 --host oss01 --lctl "$FS/servers/oss01/lctl" "$@"
}
essence() {
    rows 'del(.agent, .sequence)' | sort
}

for minute in 0 2 4 6; do
    at $minute
    capture "$SCRATCH/dumps" >/dev/null
    capture --anonymize "$SCRATCH/nameless$minute" >/dev/null
    agent --once
done
is "each round keeps a list and three dumps" \
    "$(find "$SCRATCH/dumps/oss01" -name '*.zst' | wc -l)" 16
essence >"$SCRATCH/agent.rows"
rm -f "$SINK"/*.zst
ok "a capture is replayed" \
    baro jobstats replay --as-fast-as-possible --to "$URL" "$SCRATCH/dumps"
essence >"$SCRATCH/replay.rows"
ok "it makes the rows that the agent made" cmp "$SCRATCH/agent.rows" "$SCRATCH/replay.rows"
first=$(rows '[.agent, .sequence]' | sort -u)
rm -f "$SINK"/*.zst
ok "it is replayed again" \
    baro jobstats replay --as-fast-as-possible --to "$URL" "$SCRATCH/dumps"
is "under the same identifiers" "$(rows '[.agent, .sequence]' | sort -u)" "$first"
essence >"$SCRATCH/again.rows"
ok "with the same rows" cmp "$SCRATCH/agent.rows" "$SCRATCH/again.rows"
rm -f "$SINK"/*.zst
answer 503
ok "a server that does not take it ends the replay" \
    not baro jobstats replay --as-fast-as-possible --to "$URL" "$SCRATCH/dumps"
answer 200

# ---- for a bug report ----
ids() {
    find "$1" -name '*obdfilter*.zst' | sort | xargs zstd -dcq | sed -n 's/.*job_id: *//p'
}
ids "$SCRATCH/dumps" | sed -n 1,50p >"$SCRATCH/ids"
ids "$SCRATCH/nameless0" | sed -n 1,50p >"$SCRATCH/other"
is "anonymized identifiers keep their form" \
    "$(sed 's/\\x../~/g; s/[1-9]/9/g; s/[a-z]/a/g; s/[A-Z]/A/g' "$SCRATCH/other")" \
    "$(sed 's/\\x../~/g; s/[1-9]/9/g; s/[a-z]/a/g; s/[A-Z]/A/g' "$SCRATCH/ids")"
is "and are others" "$(grep -cxFf "$SCRATCH/ids" "$SCRATCH/other")" 0
is "one identifier stays one" "$(sort -u "$SCRATCH/other" | wc -l)" \
    "$(sort -u "$SCRATCH/ids" | wc -l)"

# ---- bounded ----
capture --bytes-max 1kB "$SCRATCH/dumps" >/dev/null
ok "the oldest go first" test "$(find "$SCRATCH/dumps/oss01" -name '*.zst' | wc -l)" -lt 4

finish
