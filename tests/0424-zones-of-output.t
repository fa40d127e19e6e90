#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whose clocks times are by, in what is printed: tables name the zone, JSON and CSV are in UTC with
# its Z whatever the zone, and each command that takes or prints times has --zone.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
[ -f /usr/share/zoneinfo/Europe/Berlin ] || skip_all "no zone database (tzdata)"
cd "$SCRATCH" || exit 1

# ---- the table of commands ----

# What neither takes a time nor prints one in a table: its times, if any, are numbers, UTC with
# its Z, or durations.
without="analyze bad-ost
climate correlate
climate floor
climate map
climate scoreboard
climate umami
config grafana
config sample
darshan show
dataset access
dataset create
dataset diff
dataset doctor
dataset export
dataset fsck
dataset gc
dataset import
dataset profile
dataset pull
dataset push
dataset ref
dataset run
dataset stats
dataset tag
dataset unref
dataset update
dataset verify
dataset view
dataset where
event publish
gpfs record
health record
job comment
jobstats capture
jobstats namespace new
jobstats replay
jobstats series
jobstats series-id
lustre stats
metric list
metric parse
metric put
node top
plugin bench
plugin list
plugin show
plugin test
records copy
records migrate
records verify
resource act
resource check
resource drain
resource resume
session keygen
session nodes
session run
session start
session stop
stats
store config-import
store status
store verify
token key new
token new"
commands() { # the first words of each line, in small letters
    baro help | sed -n 's/^  \([a-z][a-z -]*[a-z]\)  *[A-Z].*/\1/p'
}
commands >commands
is "commands are read from help" "$(sed -n 1p commands) $(sed -n '$p' commands)" "analyze bad-ost weather"
while IFS= read -r command; do
    # shellcheck disable=SC2086 # words
    baro $command --help >help 2>&1
    grep -q -e ' --zone ZONE' help || echo "$command"
done <commands >found
is "commands without --zone are those without times" "$(cat found)" "$without"
while IFS= read -r command; do
    # shellcheck disable=SC2086 # words
    baro $command --help >help 2>&1
    ! grep -qE -- '--[a-z-]+ TIME' help || echo "$command"
done <found >takes_times
is "none of these has an option that is a time" "$(cat takes_times)" ""
while IFS= read -r command; do
    page=$TOP/doc/man/baro-$(echo "$command" | tr ' ' -).1.scd
    grep -q -e '--zone\*' "$page" || echo "$command"
done <commands >pages
is "pages of the others have it, too" "$(cat pages)" "$without"

# ---- what is printed ----

cat >sacct.txt <<'END'
JobID|Cluster|State|Start|End|NNodes|NodeList|User
4711|alex|COMPLETED|2026-11-21T07:00:00|2026-11-21T08:00:00|1|a0101|ann
END
jobs() { # ZONE OUTPUT
    baro job list sacct.txt --zone "$1" --output "$2" 2>err
}
ok "a list without a zone" jobs Europe/Berlin json
jobs Europe/Berlin json >berlin
ok "is in UTC as JSON, with its Z" grep -q '2026-11-21T06:00:00[.0-9]*Z' berlin
ok "has no time without a zone" not grep -qE '[0-9]{2}:[0-9]{2}:[0-9]{2}[.0-9]*"' berlin
ok "and the zone that it was read by is named" grep -q "Europe/Berlin" err
ok "in CSV it is UTC, too" sh -c "baro job list sacct.txt --zone Europe/Berlin -o csv 2>/dev/null |
    grep -q '2026-11-21T06:00:00[.0-9]*Z'"
jobs Europe/Berlin table >table
ok "a table names the zone of its times" grep -q 'start (Europe/Berlin)' table
ok "and has them by its clocks" grep -q '2026-11-21.07:00:00' table

{
    echo "app,when,speed"
    for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
        echo "ior,$((1500000000 + 86400 * i)),$((i % 7 / 2 + 1))"
    done
} >runs.csv
printf '%s\n' '[study]' 'time = when' 'performance = speed' 'class = app' 'id = when' \
    'short = 2d' 'long = 10d' 'region_runs = 2' '[measure speed]' 'value = speed' >runs.conf
for command in "show" "regions" "contributors" "study"; do
    if ! baro climate $command --map runs.conf runs.csv --zone Europe/Berlin >table 2>err; then
        fail "climate $command"
        sed 's/^/# /' err
        continue
    fi
    TZ=Europe/Berlin baro climate $command --map runs.conf runs.csv --output json >berlin 2>&1
    TZ=UTC baro climate $command --map runs.conf runs.csv --output json >utc 2>&1
    ok "climate $command: as JSON the same whatever the machine's zone" cmp berlin utc
    ok "climate $command: no time without a zone" not grep -qE '"[0-9-]{10}T[0-9:.]+"' utc
    grep -q '20[0-9-]\{8\}' table || continue
    ok "climate $command: a table names the zone" grep -q '(Europe/Berlin)' table
done
finish
