# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# lib-mysql.sh - a MariaDB of a test's own, on a socket in a scratch directory.
#
#   mysql_start || skip_all "..."    sets $MYSQL_SOCKET; stopped at the end of the test
#   mysql_do -e 'SELECT 1'           as its root
#   mysql_stop

mysql_server=
mysql_dir=

mysql_stop() {
    [ -z "$mysql_server" ] || kill "$mysql_server"
    [ -z "$mysql_server" ] || wait "$mysql_server"
    mysql_server=
    [ -z "$mysql_dir" ] || rm -rf "$mysql_dir"
    mysql_dir=
}

mysql_do() {
    mariadb --no-defaults --socket="$MYSQL_SOCKET" --user=root "$@"
}

mysql_start() {
    mysql_dir=$(mktemp -d /tmp/baro-my.XXXXXX) # a socket's name is short
    at_exit mysql_stop
    MYSQL_SOCKET=$mysql_dir/s
    export MYSQL_SOCKET
    set --
    if [ "$(id -u)" = 0 ]; then
        set -- --user=mysql
        chown mysql "$mysql_dir"
    fi
    mariadb-install-db --no-defaults "$@" --datadir="$mysql_dir/data" --skip-test-db \
        --auth-root-authentication-method=normal >"$SCRATCH/mysql-install.out" 2>&1 || return 1
    mariadbd --no-defaults "$@" --datadir="$mysql_dir/data" --socket="$MYSQL_SOCKET" --skip-networking \
        --innodb-flush-log-at-trx-commit=0 --pid-file="$mysql_dir/pid" >"$SCRATCH/mysql.out" 2>&1 &
    mysql_server=$!
    wait_for 60 mysql_do -e 'SELECT 1'
}
