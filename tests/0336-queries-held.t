#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A query is charged what it holds, not what it selects; one that never fits is refused
# as such.
. "$(dirname "$0")/lib.sh"
requires python3

python3 "$TOP/tests/sim/query_budget.py"
