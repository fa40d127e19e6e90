#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# daemon: databases that die, are damaged, older or newer than the program, full disks, clocks
# set back, kill -9, under a running barod: the tests of these, several
# times each.
# Exit 0 held, 1 not, 77 one of them lacks something, which it says.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib-rounds.sh
rounds "${DAEMON_ROUNDS:-3}" 0201-records-postgres-dies 0202-records-sqlite-dies \
    0205-records-migrate 0206-database-restored 0207-records-damaged \
    0209-sqlite-restored 0241-newer-database 0711-database-away \
    1012-store-full-disk 1013-store-clock 1070-barod-dies 1102-full-disk-at-start
