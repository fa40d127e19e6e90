#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Killed at any moment, create and gc leave a whole repository: kill -9 at random moments, then
# fsck, and every dataset that was reported is there.  KILLS=1000 for more.
. "$(dirname "$0")/lib.sh"
command -v mkfs.erofs >/dev/null || PATH=$PATH:/usr/sbin
requires mkfs.erofs python3
python3 - "$SCRATCH" "${KILLS:-60}" >"$SCRATCH/result" 2>"$SCRATCH/trace" <<'END'
import os, random, shutil, signal, subprocess, sys, time
scratch, kills = sys.argv[1], int(sys.argv[2])
random.seed(int(os.environ.get("SEED", "17")))
store, tree = scratch + "/store", scratch + "/tree"
os.makedirs(tree)
env = dict(os.environ, BARO_DATASETS=store)

def baro(*words):
    return subprocess.run(["baro", "dataset", *words], env=env, capture_output=True, text=True)

def tree_change():
    for name in random.sample(range(8), 3):
        with open(f"{tree}/{name}", "wb") as f:
            f.write(random.Random(random.randrange(30)).randbytes(300000))

tree_change()
started = time.monotonic()
first = baro("create", tree)
span = {"create": time.monotonic() - started, "gc": time.monotonic() - started}
assert first.returncode == 0, first.stderr
held = {}  # datasets with a reference
name = first.stdout.strip()
held[name] = baro("ref", name).stdout.strip()
killed = {"create": 0, "gc": 0}
ended = {"create": 0, "gc": 0}
damages = missing = notes = 0
attempt = 0
while sum(killed.values()) < kills and attempt < kills * 4:
    attempt += 1
    tree_change()
    verb = "gc" if attempt % 3 == 0 else "create"
    words = ["gc", "--grace", "0s"] if verb == "gc" else ["create", tree]
    child = subprocess.Popen(["baro", "dataset", *words], env=env, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    time.sleep(random.random() * span[verb])
    child.kill()
    output = child.communicate()[0]
    if child.returncode == -signal.SIGKILL:
        killed[verb] += 1
        span[verb] *= 1.1  # so that some end, and the moments are of all the work
    else:
        ended[verb] += 1
        span[verb] *= 0.8
        assert child.returncode == 0, (words, child.returncode)
    if verb == "create" and output.strip() and random.random() < 0.5:
        reference = baro("ref", output.strip())
        assert reference.returncode == 0, reference.stderr
        held[output.strip()] = reference.stdout.strip()
    elif len(held) > 2 and random.random() < 0.3:
        assert baro("unref", held.pop(random.choice(list(held)))).returncode == 0
    check = baro("fsck", "--output", "csv")
    damages += check.returncode != 0
    notes += check.stdout.count("note,")
    if check.returncode:
        print(check.stdout, check.stderr, file=sys.stderr)
    whole = baro("verify", *held)
    missing += whole.returncode != 0
    if whole.returncode:
        print(whole.stdout, whole.stderr, file=sys.stderr)
left = baro("gc", "--grace", "0s")
assert left.returncode == 0, left.stderr
staging = len(os.listdir(store + "/staging"))
packs = len(os.listdir(store + "/packs"))
last = baro("fsck", "--output", "csv")
print("killed", sum(killed.values()))
print("killed-of", killed["create"] > 9, killed["gc"] > 9)
print("ended-of", ended["create"] > 0, ended["gc"] > 0)
print("damages", damages)
print("missing", missing)
print("staging", staging)
print("last", last.returncode, last.stdout.count("note,"))
print(f"{killed} killed, {ended} ended, {notes} notes, {packs} packs", file=sys.stderr)
END
result() { sed -n "s/^$1 //p" "$SCRATCH/result"; }
sed 's/^/# /' "$SCRATCH/trace"
is "so many were killed" "$(result killed)" "${KILLS:-60}"
is "of both kinds" "$(result killed-of)" "True True"
is "and of both some came to their end between these" "$(result ended-of)" "True True"
is "none left damage" "$(result damages)" 0
is "nor lost a dataset with a reference" "$(result missing)" 0
is "the next writer removes what they left" "$(result staging)" 0
is "and the repository has nothing to note at the end" "$(result last)" "0 0"
finish
