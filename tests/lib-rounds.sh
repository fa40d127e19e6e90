# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# lib-rounds.sh - whole-program tests that are run several times each, as cases of a soak.
#
#   . "$(dirname "$0")/../lib-rounds.sh"     in the directory of the repository
#   rounds COUNT NAME ...   runs tests/NAME.t COUNT times each, prints what failed and how
#                           often each held; 0 all held, 1 not, 77 one lacks something,
#                           which it says

rounds() {
    rounds_count=$1 rounds_status=0
    rounds_out=$(mktemp) || return 1
    shift
    for rounds_name; do
        rounds_held=0
        for _ in $(seq "$rounds_count"); do
            if ! sh "tests/$rounds_name.t" >"$rounds_out" 2>&1; then
                grep -A 6 '^not ok' "$rounds_out" || tail -n 20 "$rounds_out"
                rounds_status=1
            elif grep '^1\.\.0' "$rounds_out"; then
                [ $rounds_status = 1 ] || rounds_status=77
                break
            else
                rounds_held=$((rounds_held + 1))
            fi
        done
        echo "figure: $rounds_name held $rounds_held of $rounds_count times"
    done
    rm -f "$rounds_out"
    return $rounds_status
}
