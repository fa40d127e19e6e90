#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A barod that is written to is killed at any moment, also while it starts, with torn
# tails of logs and flipped bits in a copy: every sample that was acknowledged is there,
# bit for bit, and nothing else.  scripts/soak kills does it a thousand times.
. "$(dirname "$0")/lib.sh"
requires python3

ok "after ${KILLS:-12} deaths everything that was acknowledged is answered" \
    python3 "$TOP/tests/metrics/kills.py" "$BUILD" --kills "${KILLS:-12}" \
    --directory "$SCRATCH"
cp "$SCRATCH/ok.out" "$SCRATCH/said"
sed 's/^/# /' "$SCRATCH/said"
ok "some of them came while it started" grep -q 'while it started [1-9]' "$SCRATCH/said"
ok "and torn tails and flipped bits were said" \
    grep -Eq 'torn tails [1-9].* flipped bits [1-9].* said [1-9]' "$SCRATCH/said"
finish
