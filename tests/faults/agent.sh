#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# agent: clocks set back while barod is away or under rows, reads that cannot be ended,
# directories removed under a running agent: the tests of these, several times each.
# Exit 0 held, 1 not, 77 one of them lacks something, which it says.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib-rounds.sh
rounds "${AGENT_ROUNDS:-5}" 0411-clock-and-sender 0412-reads-that-cannot-be-ended \
    0414-clock-of-a-server 0418-too-large-a-batch
