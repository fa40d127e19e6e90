#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A target that is mounted anew between two reads, on a Lustre that prints no start times:
# the whole way, and sequences of mounts, removals and work by chance.
# tests/faults/generations.sh plays thousands.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-lustre.sh
. "$(dirname "$0")/lib-lustre.sh"
requires jq barod baro-agent baro baro-sim baro-sim-generations

baro-sim-generations --seeds 300 --first 1 -v >"$SCRATCH/sequences" 2>&1
is "the truth lies in what is answered, which has no width where nothing was hidden" $? 0
sed 's/^/# /' "$SCRATCH/sequences"

# ---- a server that prints what a file says ----
MIB=1048576
begin=1795219200
lustre_start $begin
entry() { # JOB SECONDS MIB, as 2.12 prints it
    lustre_entry "$1" "$2" $(($3 * MIB)) $MIB
}
answer() { # JOB FIELD
    lustre_written "$1" "$2" $begin $((begin + 600))
}

{ echo job_stats: && entry 1 $begin 1 && entry 2 $begin 1; } >"$LUSTRE_DUMP"
ok "the first round" lustre_read $((begin + 1))
{ echo job_stats: && entry 1 $((begin + 60)) 101 && entry 2 $((begin + 60)) 3; } >"$LUSTRE_DUMP"
ok "a second round" lustre_read $((begin + 120))
# Mounted anew: job 1 has written 151 MiB since, job 2 nothing.
{ echo job_stats: && entry 1 $((begin + 230)) 151; } >"$LUSTRE_DUMP"
ok "a third, after a mount that nobody saw" lustre_read $((begin + 240))
# One entry that is gone is no proof of a mount: it alone may have been cleared, and then job 1
# wrote 50 MiB. Both are in what is answered.
is "job 1 wrote 100 MiB before it and 50 MiB after it, at least" \
    "$(answer 1 write_bytes)" $((150 * MIB))
is "how much at most nobody can say" "$(answer 1 write_bytes_at_most)" null
is "nor of job 2, of which nothing is left" "$(answer 2 write_bytes_at_most)" null

# Four that are gone or fell are one.
{
    echo job_stats: && entry 1 $((begin + 250)) 152 &&
        for job in 3 4 5 6; do entry $job $((begin + 250)) 5; done
} >"$LUSTRE_DUMP"
ok "a fourth round" lustre_read $((begin + 360))
{ echo job_stats: && entry 1 $((begin + 470)) 153 && entry 3 $((begin + 470)) 1; } >"$LUSTRE_DUMP"
ok "a fifth, after another mount" lustre_read $((begin + 480))
is "job 1 wrote 153 MiB after it" "$(answer 1 write_bytes)" $(((151 + 153) * MIB))
is "how much at most nobody can say" "$(answer 1 write_bytes_at_most)" null
finish
