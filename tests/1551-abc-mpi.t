#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Probes by ranks of MPI: plain calls, MPI-IO and parallel HDF5 move the same bytes.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires jq mpirun baro-abc-mpi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export ASAN_OPTIONS=detect_leaks=0 # of the MPI library

place=$SCRATCH/fs
mkdir "$place"
ranks() {
    mpirun --oversubscribe -n 2 baro-abc-mpi --mpi --lock "$place" --dir "$place" "$@"
}
ranks --size 1MiB hacc >"$SCRATCH/out" 2>&1 || {
    grep -v hacc "$SCRATCH/out" | head -n 3 | sed 's/^/# /'
    skip_all "mpirun cannot start two processes here"
}

is "this build has all interfaces" "$(baro-abc-mpi --list | grep interfaces)" "interfaces: posix mpiio hdf5"
for interface in posix mpiio hdf5; do
    is "$interface: four probes write, and read what was written" \
        "$(ranks --interface $interface --size 3MiB -o json -a "$SCRATCH/archive" | jq -s -c '[.[] | .phases[]] | [all(.done), length, (map(.bytes, .transfers) | @text)]')" \
        '[true,8,"[3145728,2,3145728,2,3145728,2,3145728,2,3145716,18,3145716,18,3145728,16,2359296,12]"]'
done
is "a row each is kept" "$(tail -n +2 "$SCRATCH/archive/runs.csv" | cut -d, -f17 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
    " 8 hdf5; 8 mpiio; 8 posix;"

# Both ranks have written when the file is whole and nobody has it open: the pause has begun.
is_written() {
    [ "$(find "$place" -name 'ior-shared.000000' -size +1023k | wc -l)" = 1 ] &&
        [ -z "$(find /proc/[0-9]*/fd -lname '*/ior-shared.000000' 2>/dev/null)" ]
}
wrong() { # INTERFACE: a byte is changed between writing and reading
    ranks --interface "$1" --size 1MiB --pause 15s ior-shared >"$SCRATCH/out" 2>"$SCRATCH/err" &
    wrong_pid=$!
    wait_for 30 is_written || return 1
    python3 - "$(echo "$place"/baro-abc.*/ior-shared.000000)" <<'PY'
import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(-1000, 2)
    byte = f.read(1)[0]
    f.seek(-1000, 2)
    f.write(bytes([byte ^ 1]))
PY
    ! wait "$wrong_pid" && grep -q "not written there" "$SCRATCH/err"
}
ok "mpiio: one wrong byte is a failure" wrong mpiio
ok "hdf5: one wrong byte is a failure" wrong hdf5
is "nothing is left" "$(find "$place" -mindepth 1 | wc -l)" 0
ok "without MPI a program says so" \
    sh -c 'baro-abc --mpi --dir "$1" 2>&1 | grep -q "built without MPI"' sh "$place"
finish
