#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Real Darshan logs, cut and changed: a sample; scripts/soak and
# test_source_darshan_damage --corruptions 100000 LOG... do more.
. "$(dirname "$0")/lib.sh"
[ -n "$SHARED" ] || skip_all "the recorded logs are not here"
logs=$SHARED/data/tokio/darshan/v3
[ -d "$logs" ] || skip_all "the recorded logs are not here"
program=$BUILD/src/test_source_darshan_damage
[ -x "$program" ] || skip_all "the unit tests are not built"

for log in empty_log mpi-io-test-ppc64-3.0.1 mpi-io-test-x86_64-3.5.0 sample.bzip2; do
    ok "$log: every cut, and ${CORRUPTIONS:-50} changes of each form" \
        "$program" --corruptions "${CORRUPTIONS:-50}" "$logs/$log.darshan"
done
for log in dxt imbalanced-io; do # large: whole, and a sample of cuts
    ok "$log: is read" baro darshan show -o json --base --total --perf --file "$logs/$log.darshan"
done
finish
