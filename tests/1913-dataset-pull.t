#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Datasets copied between repositories: what is missing alone, verified, and what was interrupted goes on.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires python3
ok "a dataset is made" dataset_make 8
pull() { # REPOSITORY FROM DATASET [OPTION...]
    pull_here=$1 pull_from=$2
    shift 2
    timeout 200 baro dataset pull "$@" --repository "$pull_here" --from "$pull_from" 2>"$SCRATCH/pull.err"
}
fetched() { sed -n 's/.* chunks, \([0-9]*\) fetched.*/\1/p' "$SCRATCH/pull.err"; }
chunks=$(baro dataset show "$dataset" --output csv | sed -n 's/^chunks,//p')
bytes=$(baro dataset show "$dataset" --output csv | sed -n 's/^bytes,//p')

# ---- out of a directory ----
is "a dataset is pulled, by its tag" "$(pull "$SCRATCH/a" "$BARO_DATASETS" code:v1 --tag code:v1 --label from=x)" "$dataset"
is "each chunk was fetched" "$(fetched)" "$chunks"
ok "every chunk is right there" baro dataset verify code:v1 --repository "$SCRATCH/a"
ok "the repository is whole" baro dataset fsck --repository "$SCRATCH/a"
is "its files are known" "$(baro dataset show code:v1 --files --repository "$SCRATCH/a")" "$(baro dataset show code:v1 --files)"
is "once more it is the same" "$(pull "$SCRATCH/a" "$BARO_DATASETS" "$dataset")" "$dataset"
is "and nothing is fetched" "$(fetched)" 0
head -c 100000 /dev/urandom >"$SCRATCH/tree/new"
next=$(baro dataset create "$SCRATCH/tree" --tag code:v2 2>/dev/null)
is "another version" "$(pull "$SCRATCH/a" "$BARO_DATASETS" code:v2)" "$next"
ok "is fetched where it differs, alone" test "$(fetched)" -lt 12
is "nothing else stays there" "$(ls "$SCRATCH/a/pulls")" ""
ok "what there is not is refused" not pull "$SCRATCH/a" "$BARO_DATASETS" nosuch:v1
ok "with the reason" grep -q "there is no dataset 'nosuch:v1'" "$SCRATCH/pull.err"

# ---- from a server, through levels ----
serve origin "repository=$BARO_DATASETS"
serve leaf "upstream=unix:$SCRATCH/origin.sock"
is "a server gives it as well" "$(pull "$SCRATCH/b" "unix:$SCRATCH/leaf.sock" code:v1)" "$dataset"
is "each chunk" "$(fetched)" "$chunks"
ok "and it is right" baro dataset verify "$dataset" --repository "$SCRATCH/b"
ok "a tag that it has not is refused" not pull "$SCRATCH/b" "unix:$SCRATCH/leaf.sock" nosuch:v1
ok "with the server's reason" grep -q "leaf.sock': it has no such dataset" "$SCRATCH/pull.err"
ok "so is a server that is not there" not pull "$SCRATCH/b" "unix:$SCRATCH/no.sock" code:v1

# ---- interrupted ----
python3 "$TOP/tests/dataset/upstream_proxy.py" "$SCRATCH/proxy.sock" "$SCRATCH/origin.sock" cut 2>"$SCRATCH/proxy.log" &
echo $! >"$SCRATCH/pids/proxy"
wait_for 20 test -S "$SCRATCH/proxy.sock"
pulls=0
until pull "$SCRATCH/c" "unix:$SCRATCH/proxy.sock" code:v1 >"$SCRATCH/out" || [ $pulls -gt 60 ]; do
    pulls=$((pulls + 1))
    [ $pulls != 1 ] || ok "where it is interrupted what came stays" test -s "$SCRATCH/c/pulls/$dataset.part"
done
ok "over a connection that is cut again and again it comes in pieces" test "$pulls" -gt 0
is "and is right" "$(cat "$SCRATCH/out")" "$dataset"
ok "the last time only the rest was fetched" test "$(fetched)" -lt "$chunks"
ok "it can be verified" baro dataset verify "$dataset" --repository "$SCRATCH/c"

# Killed with kill -9 in the middle; a slow server gives it the time.
kill_server proxy
python3 "$TOP/tests/dataset/upstream_proxy.py" "$SCRATCH/proxy2.sock" "$SCRATCH/origin.sock" slow 2>"$SCRATCH/proxy.log" &
echo $! >"$SCRATCH/pids/proxy"
wait_for 20 test -S "$SCRATCH/proxy2.sock"
baro dataset pull code:v1 --repository "$SCRATCH/d" --from "unix:$SCRATCH/proxy2.sock" >/dev/null 2>&1 &
pulling=$!
wait_for 20 test -s "$SCRATCH/d/pulls/$dataset.part"
sleep 0.3
kill -KILL $pulling
wait $pulling 2>/dev/null
is "one that was killed goes on" "$(pull "$SCRATCH/d" "unix:$SCRATCH/origin.sock" code:v1)" "$dataset"
ok "the repository is whole" baro dataset fsck --repository "$SCRATCH/d"
kill_server proxy

# ---- verified ----
for mode in corrupt garbage; do
    python3 "$TOP/tests/dataset/upstream_proxy.py" "$SCRATCH/$mode.sock" "$SCRATCH/origin.sock" $mode 2>"$SCRATCH/proxy.log" &
    echo $! >"$SCRATCH/pids/proxy"
    wait_for 20 test -S "$SCRATCH/$mode.sock"
    ok "$mode: what a server sends wrong is refused" not pull "$SCRATCH/e" "unix:$SCRATCH/$mode.sock" code:v1
    kill_server proxy
done
is "and nothing of it is a dataset" "$(baro dataset list --repository "$SCRATCH/e" --output csv | wc -l)" 1
is "afterwards the right bytes come from another" "$(pull "$SCRATCH/e" "$BARO_DATASETS" code:v1)" "$dataset"
is "as large as it is" "$(baro dataset export "$dataset" - --repository "$SCRATCH/e" | wc -c)" "$bytes"
servers_end
finish
