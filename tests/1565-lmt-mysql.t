#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An LMT database in a MariaDB of this test's own gives the series of its copy in SQLite.
. "$(dirname "$0")/lib.sh"
requires mariadbd mariadb-install-db mariadb python3
cd "$SCRATCH" || exit 1
series_make=$BUILD/src/source/lmt/series_make
[ -x "$series_make" ] || skip_all "built without tests or HDF5"
baro series show mysql:/nowhere 2>&1 | grep -q 'without libmariadb' && skip_all "built without libmariadb"

. "$TOP/tests/lib-mysql.sh"
mysql_start || skip_all "MariaDB does not start here"

cat >fill.py <<'END'
# A copy of an LMT database in SQLite as statements of MySQL, with LMT's types.
import sqlite3, sys
types = {
    "TIMESTAMP_INFO": (("TS_ID", "INT UNSIGNED"), ("TIMESTAMP", "DATETIME")),
    "OST_INFO": (("OST_ID", "INT"), ("OST_NAME", "VARCHAR(48)")),
    "OSS_INFO": (("OSS_ID", "INT"), ("HOSTNAME", "VARCHAR(48)")),
    "MDS_INFO": (("MDS_ID", "INT"), ("HOSTNAME", "VARCHAR(48)")),
    "OPERATION_INFO": (("OPERATION_ID", "INT"), ("OPERATION_NAME", "VARCHAR(64)")),
    "OST_DATA": (("OST_ID", "INT"), ("TS_ID", "INT UNSIGNED"), ("READ_BYTES", "BIGINT"), ("WRITE_BYTES", "BIGINT"),
        ("KBYTES_FREE", "BIGINT"), ("KBYTES_USED", "BIGINT"), ("INODES_FREE", "BIGINT"), ("INODES_USED", "BIGINT")),
    "OSS_DATA": (("OSS_ID", "INT"), ("TS_ID", "INT UNSIGNED"), ("PCT_CPU", "DOUBLE"), ("PCT_MEMORY", "DOUBLE")),
    "MDS_DATA": (("MDS_ID", "INT"), ("TS_ID", "INT UNSIGNED"), ("PCT_CPU", "DOUBLE")),
    "MDS_OPS_DATA": (("MDS_ID", "INT"), ("OPERATION_ID", "INT"), ("TS_ID", "INT UNSIGNED"), ("SAMPLES", "BIGINT")),
}
name = sys.argv[2]
print("DROP DATABASE IF EXISTS %s; CREATE DATABASE %s; USE %s; START TRANSACTION;" % (name, name, name))
db = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True)
def literal(v):
    return "NULL" if v is None else repr(v) if isinstance(v, (int, float)) else "'%s'" % str(v).replace("'", "''")
for table, columns in types.items():
    names = ", ".join(c for c, _ in columns)
    print("CREATE TABLE %s (%s);" % (table, ", ".join("%s %s" % c for c in columns)))
    rows = db.execute("SELECT %s FROM %s" % (names, table)).fetchall()
    for at in range(0, len(rows), 500):
        print("INSERT INTO %s (%s) VALUES %s;" % (table, names,
            ",".join("(%s)" % ",".join(literal(v) for v in row) for row in rows[at:at + 500])))
print("COMMIT;")
END
fill() { # SQLITE NAME
    python3 fill.py "$1" "$2" | mysql_do && printf '[client]\nsocket=%s\nuser=root\ndatabase=%s\n' "$MYSQL_SOCKET" "$2" >"$2.cnf"
}
same() { # NAME: every measure alike
    for same_measure in $(baro series show "$1.sqlite3" -o csv | sed 1d | cut -d, -f1); do
        baro series show -m "$same_measure" "$1.sqlite3" | cksum
    done >theirs
    for same_measure in $(baro series show "mysql:$1.cnf" -o csv | sed 1d | cut -d, -f1); do
        baro series show -m "$same_measure" "mysql:$1.cnf" | cksum
    done >ours
    [ -s theirs ] && cmp theirs ours
}
"$series_make" database made.sqlite3
ok "a made database is filled in" fill made.sqlite3 made
ok "every measure is that of the copy" same made
"$series_make" database gaps.sqlite3 \
    "DELETE FROM OST_DATA WHERE TS_ID BETWEEN 103 AND 106; UPDATE OST_DATA SET READ_BYTES = 0 WHERE TS_ID = 110;
     UPDATE MDS_OPS_DATA SET SAMPLES = NULL WHERE TS_ID = 105;"
ok "one with gaps is filled in" fill gaps.sqlite3 gaps
ok "and is that of its copy" same gaps
ok "it is archived" baro series archive -o archive.hdf5 mysql:made.cnf
is "and the archive is as out of the copy" \
    "$(baro series show -m datatargets/readbytes archive.hdf5)" \
    "$(baro series show -m datatargets/readbytes made.sqlite3)"
mysql_do -e 'DROP TABLE made.OST_DATA'
is "a table that is not there is named" "$(baro series show mysql:made.cnf 2>&1)" \
    "baro series show: MySQL: Table 'made.OST_DATA' doesn't exist"
sed 's/socket=.*/socket=nowhere/' made.cnf >nowhere.cnf
ok "a server that is not there fails" not baro series show mysql:nowhere.cnf
ok "an option file that is not there fails" not baro series show mysql:nothing.cnf
is "no copy is left behind" "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'baro-lmt.*' -newer fill.py 2>/dev/null | wc -l)" 0

if [ -z "$SHARED" ]; then
    skip "a recorded database" "no external data"
    finish
fi
ln -s "$SHARED/data/tokio/pytokio/tests/inputs/snx11025_2018-01-28.sqlite3" recorded.sqlite3
ok "a recorded database is filled in" fill recorded.sqlite3 recorded
ok "every measure is that of its copy" same recorded
finish
