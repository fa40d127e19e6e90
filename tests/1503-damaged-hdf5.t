#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files in which libhdf5 crashes or loops: an error that names the file and the remedy,
# status 1, the good files beside them as they are, and no process that stays behind.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires python3 jq

corpus=$TOP/fuzz/corpus/lmt
baro series show "$corpus/h5lmt" >"$SCRATCH/good" 2>"$SCRATCH/error"
grep -q 'HDF5 was not built in' "$SCRATCH/error" && skip_all "built without HDF5"
ok "a good file is read" test -s "$SCRATCH/good"
cd "$SCRATCH" || exit 1

# ---- limits that are lower already ----
limited() { # LIMITS...: of ulimit; the good file is read under them
    (ulimit "$@" && exec baro series show "$corpus/h5lmt") >limited 2>error
    cat error >&2
    cmp limited good
}
ok "a good file is read where few descriptors may be open" limited -n 24
# shellcheck disable=SC3045 # the shells that run this have it
if (ulimit -v 2000000 && baro --version) >/dev/null 2>&1; then
    ok "and where little memory may be" limited -v 2000000
else
    skip "and where little memory may be" "a sanitizer needs more addresses"
fi

# The same file, with a heap whose list of free pieces goes round in a circle.
python3 - "$corpus/h5lmt" loop.h5 <<'PY'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
heap = 1384
assert data[heap:heap + 4] == b"HEAP"
size, first, at = struct.unpack_from("<QQQ", data, heap + 8)
struct.pack_into("<QQ", data, at + first, first, 16)
open(sys.argv[2], "wb").write(data)
PY
for name in crash-1 crash-2 crash-3 short-piece; do
    cp "$corpus/$name" "$name.h5"
done
head -c 6000 "$corpus/h5lmt" >cut.h5

# says NAME WHAT: one line of standard error that names the file and has one of the texts
says() {
    test "$(wc -l <error)" -eq 1 && grep -q "$1" error && grep -qE "$2" error
}
for name in crash-1 crash-2 crash-3; do
    baro series show $name.h5 >out 2>error
    is "$name: the status is 1" $? 1
    # A sanitizer's report of the child is its own, and not ours.
    grep -v '^AddressSanitizer\|^==\|^ ' error >error.ours && mv error.ours error
    ok "$name: the error says what happened and what to do" says $name.h5 \
        'crashed in it|ended early|cannot be looked up|not as many names'
    ok "$name: it names a remedy or what is damaged" \
        grep -qE 'h5dump|damaged|not as many names' error
done
baro series show loop.h5 >out 2>error
is "a loop: the status is 1" $? 1
ok "a loop: the error names the file" says loop.h5 \
    'still busy with it after [0-9]+ s of CPU time|cannot be looked up|ended early'
for name in short-piece cut; do
    baro series show -m datatargets/writebytes $name.h5 >out 2>error
    is "$name: the status is 1" $? 1
    ok "$name: the error names the file" grep -q $name.h5 error
done

ok "with a good one beside it the damaged one is named" not baro series archive \
    -o both.hdf5 "$corpus/h5lmt" crash-1.h5
ok "and nothing is written" test ! -e both.hdf5

# ---- ended from outside ----
baro series show loop.h5 >out 2>error &
pid=$!
child_of() {
    child=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null | tr -d ' ') && test -n "$child"
}
if [ -r "/proc/$pid/task/$pid/children" ] || ! kill -0 $pid; then
    ok "a process of its own reads it" wait_for 20 child_of
    kill $pid
    wait $pid 2>/dev/null
    gone() {
        ! kill -0 "$child" 2>/dev/null || grep -q '^State:.*Z' "/proc/$child/status"
    }
    ok "and ends with its parent" wait_for 20 gone
else
    kill $pid
    skip "a process of its own reads it" "this kernel lists no children"
fi

# ---- many at once ----
ok "a file read by many processes gives each the same" sh -c '
    for i in 1 2 3 4; do baro series show "$1" >"many.$i" & done; wait
    for i in 1 2 3 4; do cmp "$2" "many.$i" || exit 1; done' - "$corpus/h5lmt" "$SCRATCH/good"

# ---- limits of processes ----
number() { # NAME FILE
    sed -n "s/^#define $1 //p" "$TOP/src/$2"
}
alive=source/lmt/hdf5_alive.h
tasks=$(($(number POOL_WORKERS_MAX base/system/pool.h) * (1 + $(number HDF5_ALIVE_WORKER_MAX $alive)) +
    $(number HDF5_ALIVE_MAX $alive)))
ok "the unit that summarizes has room for all workers and their readers ($tasks)" \
    test "$(sed -n 's/^TasksMax=//p' "$TOP/etc/systemd/baro-summarize.service.in")" -gt "$tasks"

finish
