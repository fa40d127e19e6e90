#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro resource report: every figure of a generated history equals that of an independent computation
# (tests/resource-report/oracle.py), on SQLite and PostgreSQL, at borders and with each filter; without
# a failure it states in how many hours there was none; what is wrong in a request is refused.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-postgres.sh"
requires jq curl python3 sqlite3
oracle=$TOP/tests/resource-report/oracle.py
cd "$SCRATCH" || exit 1
now=$(($(date +%s) / 600 * 600))
begin=$((now - 900 * 600))

report() { # OPTIONS
    baro resource report --server "$server" -o json "$@" 2>notes
}
# What the oracle has against a report; "N rows" where that is nothing.
differs() { # SEED FROM TO "OPTIONS" [ORACLE'S FILTERS]
    seed=$1 from=$2 to=$3 options=$4
    shift 4
    # shellcheck disable=SC2086 # several words
    report --from "@$from" --to "@$to" $options | python3 "$oracle" check "$seed" "$now" "$from" "$to" "$@"
}
is_exact() { # WHAT SEED FROM TO OPTIONS [FILTERS]
    what=$1
    shift
    is "$engine: $what" "$(differs "$@" | sed 's/^[1-9][0-9]* rows$/exact/')" exact
}
compare() { # SEED
    is_exact "seed $1, a range before all that was stated" "$1" $((begin - 86400)) "$now" ""
    is_exact "seed $1, history that began before the range" "$1" $((begin + 250 * 600)) $((begin + 640 * 600)) ""
    is_exact "seed $1, a range with no whole step at its ends" "$1" $((begin + 100 * 600 + 77)) $((begin + 800 * 600 + 1)) ""
    is_exact "seed $1, of one class" "$1" "$begin" "$now" "--class DIMM" class=dimm
    is_exact "seed $1, of one host of every cluster" "$1" "$begin" "$now" "--hosts a03" host=a03
    is_exact "seed $1, of one host of a cluster, and its parts" "$1" "$begin" "$now" "--hosts a03 --cluster alex" host=a03
}

# ---- SQLite ----
barod_conf
start_barod || fail "barod starts"
end_barod
engine=sqlite
for seed in 1878 1 2; do
    sqlite3 records.db 'DELETE FROM resource_changes; DELETE FROM resource_statements;' || fail "it is emptied"
    python3 "$oracle" history $seed "$now" | sqlite3 records.db || fail "a history is stored"
    start_barod || fail "barod starts"
    compare $seed
    end_barod
done
start_barod || fail "barod starts"
report --from "@$begin" --to "@$now" >out
is "a class without a failure has no MTBF" "$(jq -c '.[] | select(.class == "mdt") | [.failures, .mtbf, .observed]' out)" '[0,null,150]'
baro resource report --server "$server" --from "@$begin" --to "@$now" --class mdt >out 2>&1
ok "and in words" grep -q 'mdt: no failure in 150.0 hours' out
is "a range in which nothing was known has nothing" \
    "$(baro resource report --server "$server" --from "@$((begin - 9000))" --to "@$begin" -o json 2>/dev/null | jq -c .)" '[]'
is "another cluster has none" "$(report --cluster fritz | jq length)" 0
is "the worst are as many as wanted" "$(report --from "@$begin" --worst 5 | jq '[.[] | select(.class == "host" and .component)] | length')" 5
is "or none" "$(report --from "@$begin" --worst 0 | jq '[.[] | select(.component)] | length')" 0
for wrong in 'worst=101' 'hosts=a[1' 'from=x' 'class=' 'parts=1' 'from=@20&to=@10'; do
    is "$wrong is refused" "$(curl -sg -o /dev/null -w '%{http_code}' --unix-socket "$socket" "http://x/v1/resources/report?$wrong")" 400
done
report extra
is "it has no operands" $? 2
end_barod

# ---- PostgreSQL ----
if pg_available && pg_share; then
    engine=postgres
    sed -i "s|^path = .*|engine = postgres\nconnection = $PG_CONNECTION|" barod.conf
    start_barod || fail "barod starts on PostgreSQL"
    end_barod
    python3 "$oracle" history 1878 "$now" | psql -Xq -v ON_ERROR_STOP=1 || fail "a history is stored"
    start_barod || fail "barod starts"
    compare 1878
    end_barod
else
    skip "the same in postgres" "no PostgreSQL server programs are installed"
fi
finish
