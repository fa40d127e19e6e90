#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ten thousand played nodes: hung checks and mounts, racks that are silent, 1 % that flap, false alarms,
# opinions, a controller that is away, 0.1 % that are really broken.  No healthy one is drained, each
# broken one within two triggers, the limits hold (tests/sim/centre, BARO_FLEET_SEEDS for more seeds).
# The same through a barod and baro resource act does the same.
. "$(dirname "$0")/lib.sh"
requires python3
cd "$SCRATCH" || exit 1
centre=$TOP/tests/sim/centre
player=$BUILD/tests/sim/baro-sim-fleet
[ -x "$player" ] || skip_all "no baro-sim-fleet"

for seed in ${BARO_FLEET_SEEDS:-2001}; do
    ok "seed $seed is played" "$centre/centre" health --seed "$seed" --triggers "${BARO_FLEET_TRIGGERS:-100}" --out "seed$seed"
    ok "into the checks, the table and the plan" "$player" "seed$seed"
    ok "and the score has no fault" "$centre/score-health" --truth "seed$seed/truth.json" --actions "seed$seed/actions.txt"
    ok "there was something to drain" grep -q drain "seed$seed/actions.txt"
    "$player" "seed$seed" 3
    ok "a limit of three nodes is kept" "$centre/score-health" --truth "seed$seed/truth.json" --actions "seed$seed/actions.txt" --nodes-max 3
done
"$centre/centre" health --seed 2001 --nodes 500 --triggers 40 --out again
"$centre/centre" health --seed 2001 --nodes 500 --triggers 40 --out same
ok "a seed is one fleet" cmp again/plan.txt same/plan.txt

# ---- the score counts ----
"$player" again
printf '20 drain %s x\n' "$(tr -d '\n ' <again/truth.json | sed 's/.*"kind":"flapping","node":"\([^"]*\)".*/\1/')" >wrong.txt
not() { ! "$@"; }
ok "a healthy node that is drained is a fault" not "$centre/score-health" --truth again/truth.json --actions wrong.txt
: >none.txt
ok "so is a broken one that is not" not "$centre/score-health" --truth again/truth.json --actions none.txt

# ---- real programs ----
"$centre/centre" health --seed 2003 --nodes 2000 --triggers 40 --out real
"$player" real
ok "a barod and baro resource act have it, too" "$centre/run-health" --dir real --build "$BUILD"
ok "they drain and resume the same nodes at the same triggers" cmp real/actions.txt real/actions.real.txt
ok "some were" grep -q drain real/actions.real.txt
ok "barod has no error" not grep -E "Sanitizer|runtime error" real/barod.log
finish
