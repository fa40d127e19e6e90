#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro job list of a file: a number without a name has the name that the file itself has for
# it; never one of this machine.
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1
cat >sacct.txt <<'END'
JobID|Cluster|User|UID|State|Start|End|NNodes
1|big|ann|1001|COMPLETED|1500000000|1500000060|1
2|big||1001|COMPLETED|1500000100|1500000160|1
3|big||0|COMPLETED|1500000200|1500000260|1
4|big|bob|1002|COMPLETED|1500000300|1500000360|1
5|big|bobby|1002|COMPLETED|1500000400|1500000460|1
6|big||1002|COMPLETED|1500000500|1500000560|1
7|small||1001|COMPLETED|1500000600|1500000660|1
END
users() { baro job list "$@" -o json sacct.txt 2>err | jq -r '.[] | "\(.job)=\(.user)"' | xargs; }
is "the file's own name; root's is none of the file's; two names are none; a cluster has its own" \
    "$(users)" "1=ann 2=ann 3=0 4=bob 5=bobby 6=1002 7=1001"
is "and --user finds both" "$(users --user ann)" "1=ann 2=ann"
is "by the number, too" "$(users --user 1001)" "1=ann 2=ann 7=1001"
finish
