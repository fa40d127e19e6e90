#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A barod with 1,500 durable samples in its log is killed, and its files are damaged one by
# one: whenever less is read of the store than was in it, baro store verify says so.  Only
# a log that is cut exactly between two records cannot be told from one that ends there.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl python3
socket=$SCRATCH/barod.sock
store=$SCRATCH/store
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = $store
retention = 3650d
[metric m]
step = 1s
CONF
lines() { # HOST FROM COUNT
    awk -v h="$1" -v t="$2" -v n="$3" 'BEGIN { for (i = 0; i < n; i++)
        printf "m,cluster=c,hostname=%s value=%d %d\n", h, i % 77, t + i }'
}
put() {
    lines "$@" | curl -s -o /dev/null -w '%{http_code}' --unix-socket "$socket" \
        'http://x/api/write?durable=1' --data-binary @-
}
begin=$(($(date +%s) - 86400))
ok "barod starts" start_barod
is "samples are durable" "$(put a "$begin" 3000)" 200
kill -TERM $pid
wait $pid
ok "a checkpoint has them, and it starts" start_barod
is "1,500 more are durable, in the log" "$(put b "$begin" 1500)" 200
kill -9 $pid
wait $pid 2>/dev/null
ok "the store is well" baro store verify "$store"

cat >"$SCRATCH/damage.py" <<'PYTHON'
import glob, os, shutil, subprocess, sys
store, copy = sys.argv[1], sys.argv[2]

def count(path):
    run = subprocess.run(["baro", "store", "export", path, "--format", "csv"],
                         capture_output=True, text=True)
    return sum(1 for line in run.stdout.splitlines() if line.startswith("c/"))

whole = count(store)
if whole != 4500:
    print(f"{whole} samples, not 4500")
bad, tried = [], 0
for path in sorted(glob.glob(store + "/*-*")):
    name, size = os.path.basename(path), os.path.getsize(path)
    if name.startswith("log-"):
        damages = [("flip", at) for at in (0, 20, 41, 44, 48, size // 2, size - 1)]
        damages += [("cut", at) for at in (size - 1, size // 2, 60)]
    elif name.startswith("manifest-"):
        continue  # the one before serves
    else:
        damages = [("flip", size // 2), ("cut", size // 2), ("remove", 0)]
    for what, at in damages:
        if at >= size and what != "remove":
            continue
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(store, copy)
        target = os.path.join(copy, name)
        if what == "remove":
            os.unlink(target)
        elif what == "cut":
            os.truncate(target, at)
        else:
            with open(target, "r+b") as f:
                f.seek(at)
                byte = f.read(1)[0]
                f.seek(at)
                f.write(bytes([byte ^ 0x41]))
        verdict = subprocess.run(["baro", "store", "verify", copy], capture_output=True,
                                 text=True)
        left = count(copy)
        tried += 1
        if left < whole and verdict.returncode == 0:
            bad.append(f"{name} {what} {at}: {left} samples are left, and it is well: "
                       + verdict.stdout)
print("\n".join(bad) if bad else "all found" if tried > 10 else f"only {tried} tried")
PYTHON
is "what is lost is found by verify" \
    "$(python3 "$SCRATCH/damage.py" "$store" "$SCRATCH/copy")" "all found"
finish
