#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One sender has a part of the memory for requests and responses, and must keep moving
# bytes: others, and the admin on the unix socket, are served beside it.
# tests/abuse/half_sent_bodies.py is the long form.
. "$(dirname "$0")/lib.sh"
requires python3

ok "bodies that never end and responses nobody reads hold one sender's share only" \
    python3 "$TOP/tests/abuse/half_sent_bodies.py" --bodies 12 --body 8 --budget 64 \
    --queries 20 --names 100000 --patience 15
sed 's/^/# /' "$SCRATCH/ok.out"
ok "what has begun is sent to its end, and compression leaves room for others" \
    python3 "$TOP/tests/sim/response_shares.py"
sed 's/^/# /' "$SCRATCH/ok.out"
finish
