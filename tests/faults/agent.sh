#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# agent: clocks set back while barod is away or under rows, reads that cannot be ended,
# directories removed under a running agent: the tests of these, several times each.
# Exit 0 held, 1 not, 77 one of them lacks something, which it says.
rounds=${AGENT_ROUNDS:-5}
cd "$(dirname "$0")/../.." || exit 1
out=$(mktemp) || exit 1
status=0
for name in 0411-clock-and-sender 0412-reads-that-cannot-be-ended 0414-clock-of-a-server; do
    held=0
    for _ in $(seq "$rounds"); do
        if ! sh "tests/$name.t" >"$out" 2>&1; then
            grep -A 6 '^not ok' "$out" || tail -n 20 "$out"
            status=1
        elif grep '^1\.\.0' "$out"; then
            [ $status = 1 ] || status=77
            break
        else
            held=$((held + 1))
        fi
    done
    echo "figure: $name held $held of $rounds times"
done
rm -f "$out"
exit $status
