#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Logs of interfaces above one another, with calls of MPI, and with metadata of one process.
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1
make=$BUILD/src/source/darshan/darshan_make
[ -x "$make" ] || skip_all "the tests' own logs are not built"
for kind in objects mpi-objects autoperf metadata pnetcdf pnetcdf-many; do
    "$make" $kind little zlib >$kind.darshan
done
page() { COLUMNS=1000 baro job show "$1"; }
json() { baro job show -o json "$1" | jq -c "$2"; }

is "DFS alone: its bytes, with those of an object beside it" \
    "$(json objects.darshan '[.measures.bytes, .file_system_bytes, .measures.files]')" "[68157478,68157478,1]"
is "MPI-IO over DFS: what was requested, and what that was below, each once" \
    "$(json mpi-objects.darshan '[.measures.bytes, .file_system_bytes, .measures.files]')" "[67108864,68157478,1]"
is "the time is that of MPI-IO, not both added up" "$(json mpi-objects.darshan '.io | [.low_s, .high_s]')" "[4,4]"
is "on the page, too" "$(page mpi-objects.darshan | grep -o 'lasted .* for .*')" \
    "lasted 4.0 s of the 60 s (6.6 %), for 64.0 MiB at 16 MiB/s."
is "with the interface that the file system was reached by" \
    "$(page mpi-objects.darshan | grep -o 'while calls of .* ran')" "while calls of DFS ran"
is "each interface for itself" "$(json mpi-objects.darshan '.layers | map_values(.bytes)')" \
    '{"MPI-IO":67108864,"DFS":67108878,"DAOS":68157488}'

is "calls of MPI: the average process, the slowest one, and the kind that lasted longest" \
    "$(json autoperf.darshan .mpi)" \
    '{"mean_s":12,"most_s":24,"slowest_rank":3,"call":"MPI_Barrier","call_mean_s":6}'
is "routers" "$(json autoperf.darshan .routers.count)" 1
is "neither is there where it was not recorded" "$(json objects.darshan '[.mpi, .routers]')" "[null,null]"
head -c "$(($(wc -c <autoperf.darshan) - 40))" autoperf.darshan >cut.darshan
is "calls that are cut leave I/O as it is, and are named" \
    "$(json cut.darshan '[.is_whole, .gaps.damaged, .measures.bytes]')" '[false,["APMPI"],1048576]'

is "metadata of one process is a finding of its own, with its rank" \
    "$(json metadata.darshan '.findings[] | select(.name == "metadata-process") | [.value > 0.98, .cost.low_s >= 57]')" "[true,true]"
is "named on the page" "$(page metadata.darshan | grep -o 'the slowest process spent .*')" \
    "the slowest process spent most of its I/O in opening, closing and looking up: rank 2"

# ---- two runs that differ in one interface ----
"$make" autoperf big bzip2 >same.darshan
is "equal runs" "$(baro job diff autoperf.darshan same.darshan | tail -n 1)" "Nothing differs beyond the usual 140 %."
is "of runs of which one used MPI-IO it is not stated that both did the same" \
    "$(baro job diff objects.darshan mpi-objects.darshan | grep -E '^(Only|Both|What|Nothing)')" \
    "Only B has records of MPI-IO."

# ---- PnetCDF: no recorded log has bytes of it ----
is "a variable of PnetCDF has its bytes" \
    "$(json pnetcdf.darshan '[.layers.PNETCDF_VAR.bytes, .layers["MPI-IO"].bytes, .measures.bytes]')" "[67108864,67108864,67108864]"
baro job diff pnetcdf.darshan pnetcdf-many.darshan >"diff"
is "two runs that differ in its calls alone differ in them" \
    "$(grep -o "1. accesses, PnetCDF variables *32 -> 8192" diff | tr -s " ") $(grep -c "not whole" diff)" "1. accesses, PnetCDF variables 32 -> 8192 0"

# ---- what Darshan 3.2.0 wrote wrong ----
"$make" 341 little none 3 >new.darshan
sed 's/lib_ver=3.5.0/lib_ver=3.2.0/' new.darshan >old.darshan
is "sizes that 3.2.0 wrote are not used, which the page states" \
    "$(page old.darshan | grep -c '^Darshan 3.2.0 wrote wrong common access sizes: they are not used')" 1
is "of other versions it is silent" "$(page new.darshan | grep -c '3\.2\.0')" 0
is "in JSON, too" "$(json old.darshan .has_wrong_sizes)$(json new.darshan .has_wrong_sizes)" truefalse
finish
