#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# More connections without a token than there are places, each trickling a body that was
# refused, keep out neither a client with a token nor root on the unix socket.
# tests/abuse/refused_bodies.py is the long form.
. "$(dirname "$0")/lib.sh"
requires python3

ok "clients with a token and the unix socket are served beside 80 trickled refused bodies" \
    python3 "$TOP/tests/abuse/refused_bodies.py" --connections 80 --places 64 --requests 40
sed 's/^/# /' "$SCRATCH/ok.out"
finish
