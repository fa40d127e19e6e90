#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A Lustre server whose clock is set back by hours, twice, and forth again: what its rows
# add up to is what was written, no more and no less.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-lustre.sh
. "$(dirname "$0")/lib-lustre.sh"
requires jq barod baro-agent baro baro-sim

begin=1795219200
hour=3600
lustre_start $begin

# One round at SECONDS: the job has written one MiB more, as 2.12 or 2.15.8 print it.
observe() {
    written=$((written + 1048576))
    start=
    [ "$form" = old ] || start=$((begin - 60))
    # shellcheck disable=SC2086 # a number or none
    { echo job_stats: && lustre_entry "$job" "$1" "$written" 4096 $start; } >"$LUSTRE_DUMP"
    lustre_read "$1" "$form."
}
rounds() { # FROM COUNT
    for n in $(seq 0 $(($2 - 1))); do
        observe $(($1 + n * 120)) || return 1
    done
}
answer() { # FIELD
    lustre_written "$job" "$1" $((begin - 6 * hour)) $((begin + 6 * hour))
}

for form in old new; do
    written=0
    job=7
    [ $form = old ] || job=8
    ok "$form: rounds of a quarter of an hour" rounds $begin 8
    ok "$form: set back by 50 minutes" rounds $((begin - 50 * 60 + 840)) 8
    ok "$form: and by two hours more" rounds $((begin - 2 * hour)) 4
    ok "$form: and set right" rounds $((begin + 1020)) 4
    # Of 2.12's first reading nobody knows how much of it is older.
    first=0
    [ $form = new ] || first=1048576
    least=$(answer write_bytes)
    ok "$form: at least what was written since the first look: $least" \
        [ "$least" -ge $((written - first)) ]
    ok "$form: and no more than was written: $written" [ "$least" -le $written ]
    most=$(answer write_bytes_at_most)
    [ "$most" != null ] || most=$written # nobody can say
    ok "$form: nor is that more than at most: $most" [ "$most" -ge $written ]
done
finish
