#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro-lustre-read with a privilege that its caller has not: no directory of the caller's choosing, whose links lead
# to files that only the privilege reads.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires setpriv
[ "$(id -u)" = 0 ] || skip_all "only root gives a program a privilege"
cd "$SCRATCH" || exit 1
chmod 755 .
mkdir -p root
cp "$BUILD/src/cmd/baro-lustre-read" plain
cp plain privileged
chown 0:1 privileged
chmod 2755 privileged
as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
as_user ./plain --help >/dev/null || skip_all "another user cannot run a program of the scratch directory"
cp "$(command -v id)" id
chown 0:1 id
chmod 2755 id
[ "$(as_user ./id -g)" = 1 ] || skip_all "programs get no privilege here"
as_user ./plain --root root totals 2>err
is "without a privilege --root is the caller's own affair" "$(grep -c 'refused' err)" 0
# The status of a build that looks for leaks is another: it cannot look into such a program.
ok "with one it is refused" not as_user ./privileged --root root totals
is "with the reason" "$(grep -c -e '--root is refused' ok.out)" 1
as_user ./privileged totals 2>err
is "what the program is for is not" "$(grep -c 'refused' err)" 0
finish
