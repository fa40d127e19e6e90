#!/bin/sh
# PromQL as Prometheus has it: the same samples and the same queries to both, instant and range.
. "$(dirname "$0")/lib.sh"
requires python3
command -v prometheus >/dev/null || skip_all "prometheus is not installed (apt-get install prometheus)"

oracle=$TOP/tests/promql/oracle.py
compare() { # FILE
    mkdir -p "$SCRATCH/$1.d"
    python3 "$oracle" compare "$SCRATCH/$1.d" "$BUILD/tests/promql/promql_eval" "$SCRATCH/$1" >"$SCRATCH/$1.out" 2>&1
    status=$?
    sed 's/^/# /' "$SCRATCH/$1.out" | cut -c1-500 | tail -n 20
    return $status
}

python3 "$oracle" generate "${PROMQL_SEED:-1}" "${PROMQL_COUNT:-800}" >"$SCRATCH/generated"
ok "generated expressions give what Prometheus gives, or the difference has a name" compare generated
grep '^total' "$SCRATCH/generated.out" | sed 's/^/# /'

if [ -n "$SHARED" ] && [ -f "$SHARED/data/promql/dashboard-expressions.tsv" ]; then
    cp "$SHARED/data/promql/dashboard-expressions.tsv" "$SCRATCH/dashboards"
    ok "so do the expressions of dashboards in wide use" compare dashboards
    grep '^total' "$SCRATCH/dashboards.out" | sed 's/^/# /'
else
    skip "expressions of dashboards in wide use" "no shared data"
fi
finish
