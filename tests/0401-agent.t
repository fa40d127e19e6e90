#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The agent on a played server: what it reads, keeps and sends.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/agent/agent.sh
. "$TOP/tests/agent/agent.sh"

agent_world 2.12

# ---- check ----
is "--check reads every target" \
    "$(agent --check --user "$(id -un)"; grep -c 'entries, .*job_cleanup_interval 600 s' "$LOG")" 3
agent --check --user "$(id -un)" --set agent.interval=10m
ok "--check warns of an interval over half of the cleanup interval" \
    grep -q 'more than half' "$LOG"
ok "--check fails where there is no lctl" \
    not agent --check --user "$(id -un)" --set agent.lctl=/nowhere/lctl
ok "and says what to set" grep -q "set agent.lctl" "$LOG"

# ---- rounds ----
ok "a first round is sent" agent --once
is "its rows know nothing before them" "$(rows 'select(.since != null)')" ""
first=$(rows . | wc -l)
is "every entry made one" "$first" "$(count observe_entries_total)"
at 2
ok "a second round is sent" agent --once
is "each row says since when" \
    "$(rows 'select(.sequence > 3 and .snapshot_time != null and .since == null)')" ""
ok "entries that did not move made none" test "$(count observe_unchanged_total)" -gt 0
is "no series has two rows at one time" \
    "$(rows '[.target, .entry_id, .timestamp]' | sort | uniq -d)" ""

# ---- the server is away ----
at 4
for status in 200 204 302 400 404 410 501; do
    answer "$status other"
    ok "a program that is not barod has taken nothing with $status" not agent --once
done
answer 503
ok "a server that cannot take it is a failure of --once" not agent --once
answer 200
at 6
ok "what waited is sent later" agent --once
is "every batch once" "$(rows .sequence | uniq | sort -n | tr '\n' ' ')" \
    "1 2 3 4 5 6 7 8 9 10 11 12 "
is "in order" "$(rows 'select(.snapshot_time != null) | .timestamp' | sort -c && echo yes)" \
    yes
is "and nothing is missing: each row's predecessor is there" "$(rows '[.target,
    .entry_id, .timestamp, .previous]' | jq -s -c 'map({key: (.[0] + .[1] + .[2])})
    as $have | ($have | map(.key)) as $keys | map(select(.[3] != null) |
    .[0] + .[1] + .[3]) - $keys')" "[]"

# ---- what the server will never take ----
answer 400
at 8
ok "a batch refused for good does not stop the others" agent --once
is "it is kept aside" "$(find "$SCRATCH/spool/refused" -name '*.zst' | wc -l)" 3
answer 403
at 10
ok "one refused for want of a right stays" not agent --once
ok "and is told of" grep -q 'see server and token_file' "$LOG"
answer 200
at 12
ok "until it is given" agent --once

# ---- too large ----
rm -f "$SINK"/*.zst
answer "limit 1500"
at 14
ok "a batch too large is cut until it is taken" agent --once
ok "into more than one" test "$(count agent_split_batches_total)" -gt 0
is "without losing a row" "$(rows . | wc -l)" \
    "$(($(count observe_rows_total) + $(count observe_zero_rows_total)))"
is "and each part is a batch of its own" \
    "$(rows '[.agent, .sequence]' | uniq | sort | uniq -d)" ""
answer 200

# ---- a token ----
echo "tok-123" >"$SCRATCH/token"
chmod 600 "$SCRATCH/token"
at 16
ok "a token is shown" agent --once --set "agent.token_file=$SCRATCH/token"
ok "as it stands in its file" grep -q '^200 Bearer tok-123$' "$SINK/asked"

# ---- a full disk ----
at 18
mv "$SCRATCH/state" "$SCRATCH/state.away"
mkdir "$SCRATCH/state"
cp "$SCRATCH/state.away"/* "$SCRATCH/state/"
for state_file in "$SCRATCH"/state/*.state; do mkdir "$state_file.new"; done
rm -f "$SINK"/*.zst
ok "a state that cannot be written is a failure" not agent --once
is "and its batches are not sent" "$(rows .)" ""
rmdir "$SCRATCH"/state/*.new
at 20
ok "the next read tells it again" agent --once
is "since the last one that counts" "$(rows 'select(.reset == false and
    .since > "2022-11-21T07:16:00.000Z")')" ""

# ---- a state that is lost ----
# Batches are numbered on and on over all targets: the newest number may be in one file
# only, and a number given twice is a batch that the server takes for a replay.
for loss in "rm -f" "truncate -s 10"; do
    minute=$((${minute:-20} + 2))
    at "$minute"
    agent --once
    # shellcheck disable=SC2012
    newest=$(ls -t "$SCRATCH"/state/*.state | head -n 1)
    $loss "$newest"
    minute=$((minute + 2))
    at "$minute"
    agent --once
    is "no two batches share a name after '$loss' of a state" \
        "$(rows '[.agent, .sequence]' | uniq | sort | uniq -d)" ""
done

finish
