#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prometheus -> barod -> Prometheus and VictoriaMetrics while each of them is killed and started again: no sample is
# lost, none is there twice.  BARO_REMOTE_SECONDS has it go on for longer.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$TOP/tests/lib-barod.sh"
requires python3 curl prometheus victoria-metrics

barod_conf
BAROD_PORT=$(free_port)
export BAROD_PORT
sed -i "s/^listen = none/listen = 127.0.0.1:$BAROD_PORT/; s/^own_metrics = 0s/own_metrics = 10s/" "$SCRATCH/barod.conf"
sed -i '/^\[records\]/i rate_requests = 100000' "$SCRATCH/barod.conf"
printf '[write]\nreaders_may_write = yes\n' >>"$SCRATCH/barod.conf"
seed=${BARO_REMOTE_SEED:-$(date +%s)}
python3 "$TOP/tests/remote/both_ways.py" "$SCRATCH" "$(command -v barod)" "$SCRATCH/barod.conf" "$socket" \
    "${BARO_REMOTE_SECONDS:-20}" "$seed" >"$SCRATCH/out" 2>&1
status=$?
echo "# seed $seed"
sed 's/^#* */# /' "$SCRATCH/out" | cut -c1-300
is "no sample is lost or there twice" "$status" 0
[ "$status" = 0 ] || sed 's/^/# /' "$SCRATCH/barod.log" | grep -v 'ready\|stopp' | tail -20
count() { # NAME: how many samples were compared
    sed -n "s/^$1: \([0-9]*\) samples.*/\1/p" "$SCRATCH/out"
}
for pair in "sender to barod" "barod to prometheus" "barod to victoria-metrics" "prometheus to barod"; do
    ok "compared: $pair" test "$(count "$pair")" -gt 1000
done
finish
