#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everybody comes to one barod at once: senders, new hosts, agents, an exporter, NATS,
# readers of every route, while checkpoints, retention and archives go on.  SIGTERM ends
# it, no sanitizer has said a word, and all that was acknowledged is there.
# scripts/soak threads does it for a minute with a build that watches threads.
. "$(dirname "$0")/lib.sh"
requires python3

ok "everybody is served for ${CROWD_S:-4} seconds, and nothing is lost" \
    python3 "$TOP/tests/metrics/crowd.py" "$BUILD" --seconds "${CROWD_S:-4}" \
    --directory "$SCRATCH"
sed 's/^/# /' "$SCRATCH/ok.out"
finish
