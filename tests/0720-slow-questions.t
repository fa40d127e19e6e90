#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Questions about metrics that would take minutes hold up neither writes nor health, and
# are answered with 504 at their deadline.  tests/abuse/slow_questions.py is the long form.
. "$(dirname "$0")/lib.sh"
requires python3

ok "writes go on beside more questions than there are HTTP threads, which end with 504" \
    python3 "$TOP/tests/abuse/slow_questions.py" --series 1200 --questions 6 --timeout 2
sed 's/^/# /' "$SCRATCH/ok.out"
finish
