#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A query is charged what it holds, not what it selects; one that never fits is refused
# as such; a client that has shut down its sending side is waited for.
. "$(dirname "$0")/lib.sh"
requires python3

python3 "$TOP/tests/sim/query_budget.py"
