#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# generations: targets mounted anew, cleaned up, idle and at work by chance, in the forms of
# Lustre 2.5 to 2.17: the truth lies in what is answered, and the answer has no width where
# nothing was hidden.  Ten thousand sequences; some minutes.
sim=${BUILD:-build}/tests/sim/baro-sim-generations
[ -x "$sim" ] || {
    echo "generations: there is no $sim" >&2
    exit 77
}
exec "$sim" --seeds "${GENERATIONS_SEEDS:-10000}" --first 1 -v
