#!/bin/sh
# baro space: what is planted of two file systems in ten days is found: growth, a clean-up, a
# new target, one that is silent, one that moved to another server; and REST has the same.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl jq python3

player="python3 $TOP/tests/sim/space.py"
end=$(($(date +%s) / 600 * 600))
barod_conf
BARO_SERVER=$server
export BARO_SERVER
space() {
    baro space "$@" --to @$end --last 10d
}
ok "barod starts" start_barod
is "before anything is sent, it is stated who sends it" "$(baro space 2>&1)" \
    "baro space: the server responds with 404: fs: no target of '*' has sent its space in this range (agents of Lustre servers do, with totals_interval)"
is "ten days are sent" "$($player play $end | curl -s -o "$SCRATCH/sent" -w '%{http_code}' \
    --unix-socket "$socket" --data-binary @- http://x/api/write)" 200

space --by target -o json >"$SCRATCH/targets"
ok "what is planted is found, target by target" sh -c "$player check $end <'$SCRATCH/targets'"
is "the first is the one that is full first" "$(jq -r '.[0].target' "$SCRATCH/targets")" \
    scratch-OST0000
space >"$SCRATCH/page" 2>"$SCRATCH/notes"
cat "$SCRATCH/notes" >>"$SCRATCH/page"
noted() { # text
    grep -q "$1" "$SCRATCH/page"
}
ok "the new one is named" noted 'scratch-OST0002 is new: the other targets.* growth is that since'
ok "and the silent one" noted 'scratch-OST0003 counts in no sum: it was last observed at'
ok "a target that is full before its file system" \
    noted 'scratch-OST0000 is full before its file system'
ok "clean-ups are counted" noted 'scratch: 1 clean-up removed 18.* TiB'
space -o json >"$SCRATCH/fs"
is "file systems are rows" "$(jq -r '.[].fs' "$SCRATCH/fs" | xargs)" "scratch work"
ok "three OSTs grow by 3 TB a day, the new one since four days" sh -c "jq -e '.[0] |
    (.used > 1.44e14 and .used < 1.48e14) and .growth > 2.0e12 and .growth < 3.1e12 and
    .inodes_share > 10 and .inodes_share < 12' '$SCRATCH/fs'"
is "one file system" "$(space 'wor*' -o csv | tail -n +2 | cut -d, -f1)" work
is "so many rows" "$(space --by target --limit 2 -o csv | tail -n +2 | wc -l)" 2
ok "two hours have a growth too, if they are all that is wanted" sh -c "baro space work --to @$end \
    --last 2h -o json | jq -e '.[0].outlook == \"unclear\" and .[0].growth == 0'"
is "before the newest target there was one less" \
    "$(baro space scratch --by target --to @$((end - 7 * 86400)) --last 2d -o csv | tail -n +2 | wc -l)" 4

# ---- the same by REST ----
rest() { # query
    curl -s --unix-socket "$socket" "http://x/v1/space?$1"
}
table_rows() {
    jq -c '.columns as $c | .rows[] | [., $c] | transpose | map({(.[1].name): .[0]}) | add' -S
}
is "REST has the same rows" "$(rest "by=target&to=@$end&last=10d" | table_rows)" \
    "$(jq -cS '.[]' "$SCRATCH/targets")"
is "as an array of objects it is what the command prints, byte for byte" \
    "$(rest "by=target&to=@$end&last=10d&format=json" | cksum)" "$(cksum <"$SCRATCH/targets")"
is "a bad value names the parameter" "$(rest 'by=user%20' | jq -r '.status, .detail' | xargs)" \
    "400 by: invalid value user : fs (default): a row a file system; target: a row a target; user, group, project: a row each of the largest."
is "a range that is too short" "$(rest 'last=1m' | jq -r .detail)" \
    "last: the range is shorter than 10m"
is "a range that ends before it begins" "$(rest 'from=@20&to=@10' | jq -r .detail)" \
    "from: is not before to"
baro space scratch work >/dev/null 2>&1
is "two operands are misuse" $? 2
ok "barod ends" end_barod
finish
