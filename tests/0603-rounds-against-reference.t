#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hours of observation in one process: what parser, observer, wire and records make of a
# played Lustre with failovers and upgrades equals the reference observer's totals, also
# when agents crash and batches come twice and late.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip_all "python3 is missing"
rounds=100
begin=1669010400

# shellcheck disable=SC2317 # called through ok
# One file system with everything that happens to servers, into one database.
play() { # NAME VERSION FAULTS SEED
    fs=$SCRATCH/$1
    baro-sim init --fs "$fs" version="$2" seed="$4" nodes=60 logins=40 mds=1 mdts=1 oss=3 \
        osts=6 &&
        baro-sim move --fs "$fs" --target scratch-OST0000 --to oss02 --at 90m --gap 70s &&
        baro-sim move --fs "$fs" --target scratch-OST0000 --to oss01 --at 130m \
            --gap 150s &&
        baro-sim upgrade --fs "$fs" --server oss01 --version 2.15.8 --at 150m \
            --gap 200s &&
        baro-sim upgrade --fs "$fs" --server oss03 --version 2.14 --at 170m --gap 30s &&
        baro-sim upgrade --fs "$fs" --server mds01 --version 2.16.1 --at 180m \
            --gap 200s &&
        baro-sim-rounds --fs "$fs" --path "$fs.db" --rounds "$rounds" --faults "$3" \
            --kind 1 --seed "$4"
}

for case in "2.5 0 1" "2.12 0 2" "2.15.0 0 3" "2.17.0 0 4" "2.12 6 5" "2.15.8 6 6" \
    "2.14 10 7" "2.16.1 10 8"; do
    # shellcheck disable=SC2086 # three words
    set -- $case
    name=$1-$2
    ok "$1, accidents in $2 % of rounds: played" play "$name" "$1" "$2" "$3"
    python3 "$TOP/tests/sim/check.py" --sim "$BUILD/tests/sim/baro-sim" \
        --fs "$SCRATCH/$name" --until $((begin + 3600 + rounds * 120 + 60)) \
        --path "$SCRATCH/$name.db" >"$SCRATCH/out" 2>&1
    status=$?
    sed 's/^/# /' "$SCRATCH/out"
    is "$1, accidents in $2 %: every total is the reference's, to the unit" $status 0
done
finish
