#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What lasts: how far it is, and the time left, on standard error where that is a terminal; nothing
# anywhere else.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-examples.sh
. "$(dirname "$0")/lib-examples.sh"
# shellcheck source=tests/lib-barod.sh
. "$(dirname "$0")/lib-barod.sh"
requires python3
command -v baro-sim-darshan >/dev/null || skip_all "the players are not built"
cd "$SCRATCH" || exit 1

# on_terminal COMMAND...: with a terminal as standard error, whose text goes to ./shown.
cat >"$SCRATCH/terminal.py" <<'END'
import os, pty, subprocess, sys
master, slave = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stderr=slave, stdin=subprocess.DEVNULL)
os.close(slave)
shown = b""
while True:
    try:
        some = os.read(master, 4096)
    except OSError:
        break
    if not some:
        break
    shown += some
open("shown", "wb").write(shown)
sys.exit(child.wait())
END
on_terminal() {
    TERM=xterm python3 "$SCRATCH/terminal.py" "$@" >"$SCRATCH/out"
}
on_whole_terminal() { # COMMAND: with one as standard output, too
    TERM=xterm python3 "$SCRATCH/terminal.py" sh -c "$1 >&2"
}
has_line() { # REGEX: of the end of one of the lines that were written over each other
    tr '\r' '\n' <shown | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' | grep -qE "$1"
}
is_silent() {
    "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" && [ ! -s "$SCRATCH/err" ]
}

now=$(date +%s)
hour=$((now / 3600 * 3600 - 7200))
data() {
    examples_play fs $((now - 600 - 60)) own:4711:$((now - 590)) own:4712:$((now - 590)) &&
        baro-sim-rounds --fs "$SCRATCH/fs" --path "$SCRATCH/records.db" --rounds 3 --interval 10s &&
        mkdir store && "$BUILD/tests/fill/baro-fill-metrics" store <<END &&
metric cpu_load 60s sum
alex/a0101 cpu_load $hour..$((hour + 3600)) 1
alex/a0102 cpu_load $hour..$((hour + 3600)) 1
alex/a0103 cpu_load $hour..$((hour + 3600)) 1
END
        baro store export --format cc --out checkpoints store && python3 "$TOP/tests/examples/make.py" lmt day.sqlite3 1489968000 1489971600
}
ok "there are logs, rows and samples" data

ok "an import of checkpoints" on_terminal baro store import --into one checkpoints
ok "counts hosts, of which it knows all" has_line '^3 of 3 hosts, [0-9]+ a second'
ok "not where nobody looks" is_silent baro store import --into two checkpoints
on_terminal baro store import --quiet --into three checkpoints
is "nor with --quiet" "$(cat shown)" ""
ok "an export" on_terminal baro store export store
ok "counts series" has_line '^([0-9]+) of \1 series, [0-9]+ a second'
ok "not into a file" is_silent baro store export store
ok "a capture" baro jobstats capture --rounds 1 --host oss01 --lctl fs/servers/oss01/lctl capture
ok "that is replayed" on_terminal baro jobstats replay --as-fast-as-possible capture
ok "counts files" has_line '^([0-9]+) of \1 files, [0-9]+ a second'
ok "a store that is looked through" on_terminal baro store verify store
ok "counts files" has_line '^[0-9]+ of [0-9]+ files, [0-9]+ a second'
ok "not into a file" is_silent baro store verify store
ok "rows that are looked through" on_terminal baro records verify records.db
ok "counts checks, of which it knows all" has_line '^([0-9]+) of \1 checks, [0-9]+ a second'
ok "not into a file" is_silent baro records verify records.db
ok "a copy of rows" on_terminal baro records copy --from records.db --to copy.db
ok "has what it does" has_line '^copying'
ok "and counts rows" has_line '^[0-9]+ of [0-9]+ rows, [0-9]+ a second'
ok "not into a file" is_silent baro records copy --from records.db --to another.db
ok "logs that targets are looked for in" on_terminal baro analyze bad-ost 4711.darshan 4712.darshan
ok "are counted" has_line '^2 of 2 logs, [0-9]+ a second'
ok "not into a file" is_silent baro analyze bad-ost 4711.darshan 4712.darshan
ok "an archive of a series" on_terminal baro series archive -o day.hdf5 day.sqlite3
ok "counts the steps of its measures" has_line '^([0-9]+) of \1 steps, [0-9]+ a second'
ok "not into a file" is_silent baro series archive -o again.hdf5 day.sqlite3
# Of another year: what it finds does not matter.
on_terminal baro analyze clock -s day.hdf5 4711.darshan 4712.darshan
ok "are counted, too" has_line '^2 of 2 logs, [0-9]+ a second'

runs() { # FIRST: a table of runs
    echo "app,when,speed"
    for i in 1 2 3 4 5; do echo "ior,$(($1 + 60 * i)),$i"; done
}
runs 1500000000 >a.csv
runs 1500001000 >b.csv
printf '%s\n' '[study]' 'time = when' 'performance = speed' 'class = app' 'id = when' >runs.conf
for command in "show" "study" "floor" "regions" "umami -i 0"; do
    # What it finds does not matter: how far it is, is printed before.
    # shellcheck disable=SC2086 # words
    on_terminal baro climate $command -m runs.conf a.csv b.csv
    ok "climate $command counts tables" has_line '^2 of 2 tables, [0-9]+ a second'
done

# A database of schema 1, of whose index the series' numbers let expect 100 s.
long=$SCRATCH/long.db
old_schema() {
    cp records.db "$long" && sqlite3 "$long" "drop view if exists jobs;
        drop view if exists job_summaries; drop view if exists user_names;
        drop table if exists id_names; drop table if exists job_runs;
        drop table if exists job_summary_rows; drop table if exists records_identity;
        update series set sid = 30000000 where sid = (select max(sid) from series);
        update schema_version set version = 1"
}
ok "an old database" old_schema
on_terminal baro records migrate "$long"
ok "has the time left of what takes long" has_line '^migrating: 0 s, about 100 s left'

# What lasts before there is a program: packages that are installed.
mkdir bin
cat >bin/apt-get <<'END'
#!/bin/sh
case "$*" in
*Status-Fd=1*)
    printf '%s\n' 'Get:1 a package' 'dlstatus:1:50.0:fetching' 'pmstatus:libz:25.0:unpacking'
    sleep 1
    printf '%s\n' 'pmstatus:libz:50.5:unpacking' 'pmstatus:libz:100:done'
    ;;
esac
case "$*" in *install*) [ ! -e fails ] || { echo "E: no such package"; exit 100; } ;; esac
END
printf '#!/bin/sh\nexit 1\n' >bin/dpkg-query
printf '#!/bin/sh\necho 0\n' >bin/id
chmod +x bin/*
PATH=$SCRATCH/bin:$PATH
ok "packages are installed" on_whole_terminal "$TOP/scripts/install-deps build"
ok "with how far it is" has_line '^fetching: 50 %'
ok "and the time left" has_line '^installing: 50 %, about [0-9]+ s left'
touch fails
ok "what cannot be installed is an error" not on_whole_terminal "$TOP/scripts/install-deps build"
ok "with the reason" has_line '^E: no such package'
rm bin/id bin/dpkg-query
ok "summaries of logs" on_terminal baro job summarize 4711.darshan 4712.darshan
ok "count logs" has_line '^2 of 2 logs, [0-9]+ a second'
ok "not into a file" is_silent baro job summarize 4711.darshan 4712.darshan

if command -v mkfs.erofs >/dev/null; then
    mkdir tree && seq 10000 >tree/one
    ok "a dataset" baro dataset create --repository repository tree
    seq 10000 20000 >tree/one
    ok "and another" baro dataset create --repository repository tree
    ok "that is collected" on_terminal baro dataset gc --grace 0s --repository repository
    ok "counts packs" has_line '^([0-9]+) of \1 packs'
else
    skip "the collection of datasets counts packs" "mkfs.erofs is not installed"
fi
{
    echo "id,start,end,nodes"
    for i in $(seq 2500); do echo "$i,2026-11-21T06:00:00Z,2026-11-21T07:00:00Z,a1"; done
} >many.csv
barod_conf cpu_load
rm -rf "$SCRATCH/store" "$SCRATCH/records.db"*
ok "a barod starts" start_barod
ok "jobs are sent to it" on_terminal baro job import --server "$server" many.csv
ok "and counted meanwhile" has_line '^1000 of 2500 jobs, [0-9]+ a second'
ok "to their end" has_line '^2500 of 2500 jobs'
baro job import --server "$server" many.csv 2>err
is "in a file it is one line" "$(cat err)" "baro job import: 0 new, 0 changed, 2500 known, 0 refused"
ok "barod ends" end_barod
finish
