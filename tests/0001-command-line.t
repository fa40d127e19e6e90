#!/bin/sh
# The command line: help, misuse, versions.
. "$(dirname "$0")/lib.sh"

ok "baro --help lists the commands" sh -c 'baro --help | grep -q "config sample"'
ok "a version is printed" sh -c 'baro --version | grep -q "^baro [0-9]"'
baro nonsense >"$SCRATCH/out" 2>&1
is "an unknown command is misuse" "$?" 2
ok "and says where to look" grep -q -- "--help" "$SCRATCH/out"
baro config sample --nonsense >/dev/null 2>"$SCRATCH/err"
is "an unknown option is misuse" "$?" 2
ok "and is named" grep -q -- "--nonsense" "$SCRATCH/err"
finish
