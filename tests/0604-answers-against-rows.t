#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What baro jobstats rates answers, against the same rows added up as SQL: of a played
# Lustre with a failover, upgrades, crashing agents and late batches.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip_all "python3 is missing"
rounds=80
begin=1669010400

play() { # NAME VERSION FAULTS
    fs=$SCRATCH/$1
    baro-sim init --fs "$fs" version="$2" seed=5 nodes=40 logins=30 mds=1 mdts=1 oss=2 \
        osts=4 &&
        baro-sim move --fs "$fs" --target scratch-OST0000 --to oss02 --at 90m --gap 70s &&
        baro-sim move --fs "$fs" --target scratch-OST0000 --to oss01 --at 130m \
            --gap 150s &&
        baro-sim upgrade --fs "$fs" --server oss02 --version 2.15.8 --at 150m \
            --gap 200s &&
        baro-sim-rounds --fs "$fs" --path "$fs.db" --rounds "$rounds" --faults "$3" \
            --kind 1 --seed 5
}

for case in "2.12 0" "2.16.1 0" "2.12 6"; do
    # shellcheck disable=SC2086 # two words
    set -- $case
    name=$1-$2
    play "$name" "$1" "$2" >"$SCRATCH/out" 2>&1
    is "$1, accidents in $2 % of rounds: played" $? 0
    python3 "$TOP/tests/sim/check.py" --sim "$BUILD/tests/sim/baro-sim" \
        --fs "$SCRATCH/$name" --until $((begin + 3600 + rounds * 120 + 60)) \
        --path "$SCRATCH/$name.db" --baro "$BUILD/src/cmd/baro" >"$SCRATCH/out" 2>&1
    status=$?
    sed 's/^/# /' "$SCRATCH/out"
    is "$1, accidents in $2 %: baro answers what the rows add up to" $status 0
done
finish
