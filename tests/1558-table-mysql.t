#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro series show map:MAPPING:mysql:OPTIONFILE: a query of MySQL is a table as any other.
. "$(dirname "$0")/lib.sh"
requires mariadbd mariadb-install-db mariadb
cd "$SCRATCH" || exit 1
echo '[client]' >empty.cnf
map=$TOP/etc/tables/lmt-mysql.conf
baro series show "map:$map:mysql:empty.cnf" 2>&1 | grep -q 'without libmariadb' && skip_all "built without libmariadb"
. "$TOP/tests/lib-mysql.sh"
mysql_start || skip_all "MariaDB does not start here"

# ---- a little LMT schema, with its types ----
mysql_do <<'END'
CREATE DATABASE filesystem_lake;
USE filesystem_lake;
CREATE TABLE TIMESTAMP_INFO (TS_ID INT UNSIGNED PRIMARY KEY, TIMESTAMP DATETIME);
CREATE TABLE OST_INFO (OST_ID INT PRIMARY KEY, OST_NAME VARCHAR(48));
CREATE TABLE OST_DATA (OST_ID INT, TS_ID INT UNSIGNED, READ_BYTES BIGINT, WRITE_BYTES BIGINT,
    KBYTES_FREE BIGINT, KBYTES_USED BIGINT, PRIMARY KEY (OST_ID, TS_ID));
INSERT INTO TIMESTAMP_INFO VALUES (1, '2017-07-14 02:40:00'), (2, '2017-07-14 02:40:05'),
    (3, '2017-07-14 02:40:10'), (4, '2017-07-14 02:40:15');
INSERT INTO OST_INFO VALUES (1, 'lake-OST0000'), (2, 'lake-OST0001');
INSERT INTO OST_DATA VALUES (1, 1, 100, 9007199254740985, 1, 1), (1, 2, 350, 9007199254740985, 1, 1),
    (1, 3, 350, 9007199254740987, 1, 1), (1, 4, 1350, 9007199254740991, 1, 1),
    (2, 1, 0, 5, 1, 1), (2, 2, 10, 5, 1, 1), (2, 3, NULL, 5, 1, 1), (2, 4, 40, 5, 1, 1);
CREATE TABLE loads (at TIMESTAMP NULL, host TEXT, cpuload DOUBLE);
SET time_zone = '+05:00';
INSERT INTO loads VALUES ('2017-07-14 07:40:00', 'a', 0.1), ('2017-07-14 07:40:05', 'a', NULL),
    ('2017-07-14 07:40:10', 'a', 1e-300), ('2017-07-14 07:40:15', 'a', 12.5), (NULL, 'a', 3);
CREATE USER reader IDENTIFIED BY 'a secret'; GRANT SELECT ON filesystem_lake.* TO reader;
END
options() { # NAME LINES...
    options_name=$1
    shift
    rm -f "$options_name"
    (umask 077 && printf '%s\n' '[client]' "socket=$MYSQL_SOCKET" database=filesystem_lake "$@" >"$options_name")
}
options lake.cnf user=reader 'password=a secret'
show() { # MAPPING MEASURE
    baro series show -m "$2" "map:$1:mysql:lake.cnf" 2>said
}
is "counters of LMT's targets" "$(show "$map" datatargets/readbytes)" "time,lake-OST0000,lake-OST0001
1500000000,250,10
1500000005,0,
1500000010,1000,30"
is "a NULL is missing, not 0" "$(cat said)" ""
is "differences of counters near 2^53" "$(show "$map" datatargets/writebytes | cut -d, -f1,2)" "time,lake-OST0000
1500000000,0
1500000005,2
1500000010,4"
cat >loads.conf <<'END'
[table]
time = at
zone = UTC
component = {host}
query = SELECT * FROM loads
[measure dataservers/cpuload]
column = cpuload
END
is "a DOUBLE is what was stored, and a TIMESTAMP is UTC" "$(show loads.conf dataservers/cpuload)" "time,a
1500000000,0.1
1500000005,
1500000010,1e-300
1500000015,12.5"
ok "a row without time costs itself" grep -q "row 5: its time is none" said

# ---- what is refused ----
refused() { # MAPPING OPTIONFILE: why
    baro series show "map:$1:mysql:$2" 2>&1 | sed 's/^baro[a-z ]*: //'
}
query() { # TEXT
    sed "s/^query = .*/query = $1/" loads.conf >other.conf
}
options root.cnf user=root
query 'DELETE FROM loads'
is "what changes the database is refused, whoever asks" "$(refused other.conf root.cnf)" \
    "MySQL: Cannot execute statement in a READ ONLY transaction"
is "and changes nothing" "$(mysql_do -N -e 'SELECT count(*) FROM filesystem_lake.loads')" 5
query 'SET @a = 1'
is "what returns no rows is no table" "$(refused other.conf lake.cnf)" "MySQL: the query returns no rows: it is no SELECT"
query 'SELECT 1; SELECT 2'
ok "two statements are refused" sh -c 'baro series show map:other.conf:mysql:lake.cnf 2>&1 | grep -q "error in your SQL syntax"'
query "LOAD DATA LOCAL INFILE '\/etc\/passwd' INTO TABLE loads"
ok "files of this host are not sent" sh -c 'baro series show map:other.conf:mysql:root.cnf 2>&1 | grep -Eqi "local ?infile|READ ONLY|not allowed|command is"'
query 'SELECT * FROM nothing'
is "a table that is not there is named" "$(refused other.conf lake.cnf)" \
    "MySQL: Table 'filesystem_lake.nothing' doesn't exist"
sed /^query/d loads.conf >mute.conf
is "a database wants a query" "$(refused mute.conf lake.cnf)" "[table]: a database wants a query"
options wrong.cnf user=reader password=no
ok "a wrong password is refused" sh -c 'baro series show "map:$1:mysql:wrong.cnf" 2>&1 | grep -q "Access denied for user .reader"' sh "$map"
ok "and not printed" sh -c '! baro series show "map:$1:mysql:wrong.cnf" 2>&1 | grep -q "password=\|=no"' sh "$map"
cp lake.cnf open.cnf && chmod 644 open.cnf
ok "a password that others may read is not used" sh -c 'baro series show "map:$1:mysql:open.cnf" 2>&1 | grep -q "open.cnf.*chmod\|open.cnf.*0644\|open.cnf.*mode"' sh "$map"
ok "an option file that is not there fails" not baro series show "map:$map:mysql:nothing.cnf"
sed 's/^socket=.*/socket=nowhere/' lake.cnf >nowhere.cnf && chmod 600 nowhere.cnf
ok "a server that is not there fails" sh -c 'baro series show "map:$1:mysql:nowhere.cnf" 2>&1 | grep -q "MySQL: Can.t connect to local"' sh "$map"
query 'SELECT at, host, sleep(20) AS cpuload FROM loads LIMIT 1\nquery_timeout = 1s'
before=$(date +%s)
ok "a server that does not respond in time is given up" not baro series show map:other.conf:mysql:lake.cnf
ok "after that time" [ $(($(date +%s) - before)) -lt 15 ]

# ---- a join as any other series ----
ok "it is archived as any series" baro series archive -o lake.hdf5 "map:$map:mysql:lake.cnf"
is "with the same values" "$(baro series show -m datatargets/readbytes lake.hdf5)" "$(show "$map" datatargets/readbytes)"
finish
