#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A sample of the whole simulation: half an hour of a played Lustre, agents, barod and a
# database, with kills, a cut network, a full disk, a failover and an upgrade.  Every
# total equals the reference observer's.  scripts/soak plays six hours.
. "$(dirname "$0")/lib.sh"

for program in barod baro-agent; do
    [ -x "$BUILD/src/cmd/$program" ] || skip_all "there is no $program in this build"
done
command -v python3 >/dev/null || skip_all "python3 is missing"

engines=sqlite
[ -n "$(find /usr/lib/postgresql -name postgres -path '*/bin/*' 2>/dev/null)" ] &&
    engines="sqlite postgres"
for engine in $engines; do
    python3 "$TOP/tests/sim/whole.py" --build "$BUILD" --hours 0.6 --engine "$engine" \
        --seed 7 mds=1 mdts=1 oss=2 osts=4 nodes=120 logins=40 cleanup=5m \
        >"$SCRATCH/$engine.out" 2>&1
    status=$?
    sed 's/^/# /' "$SCRATCH/$engine.out"
    is "$engine: every total equals the reference observer's, nothing twice" $status 0
done
finish
