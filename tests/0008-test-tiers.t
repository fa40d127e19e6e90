#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/test itself, in a small tree of its own: what it counts as passed, failed and
# skipped, what --quick leaves out, and that a room over its budget is named.
. "$(dirname "$0")/lib.sh"
requires git ninja bash script

tree=$SCRATCH/tree
mkdir -p "$tree/scripts" "$tree/tools" "$tree/tests" "$tree/src/store" "$tree/src/wire" "$tree/build/src"
cp "$TOP/scripts/test" "$tree/scripts/test"
cp "$TOP/tools/test-targets" "$TOP/tools/build" "$tree/tools/"
cp "$TOP/tests/lib-postgres.sh" "$TOP/tests/lib-postgres-run.sh" "$tree/tests/"
printf '#!/bin/sh\n' >"$tree/scripts/install-deps"
chmod +x "$tree/scripts/install-deps"
# Each program says that it was made; what is in it stands there already.
cat >"$tree/build/build.ninja" <<'NINJA'
rule c_LINKER
  command = echo $out >>made
build src/test_store_log: c_LINKER
build src/test_wire_json: c_LINKER
build src/cmd/barod: c_LINKER
build all: phony src/test_store_log src/test_wire_json src/cmd/barod
default all
NINJA
# unit ROOM_NOUN LINES...
unit() {
    unit_name=$tree/build/src/test_$1
    shift
    { echo '#!/bin/sh' && printf 'echo "%s"\n' "$@"; } >"$unit_name"
    chmod +x "$unit_name"
}
# whole NAME LINES...
whole() {
    whole_name=$tree/tests/$1.t
    shift
    printf '%s\n' "$@" >"$whole_name"
}
unit store_log 1..2 "ok 1 - logs" "not ok 2 # SKIP what_needs_shared_data"
unit wire_json 1..1 "ok 1 - words"
whole 0001-command-line 'echo "ok 1 - speaks"; echo 1..1'
whole 0002-source 'echo "ok 1 - tidy"; echo 1..1'
whole 1001-wire '[ ! -x "$BUILD/src/cmd/barod" ]' 'echo "ok 1 - wired"; echo "ok 2 - more # SKIP not here"; echo 1..2'
whole 1010-store 'echo "ok 1 - stored"; sleep 2; echo 1..1'
whole 1011-store-more 'echo "1..0 # SKIP no disk"'
printf '%s\n' '# room' 'tree 60 0001 000?' 'wire 60 1001 1001' 'store 1 1010 101?' \
    >"$tree/tests/budget"
in_tree() {
    (cd "$tree" && BUILD=build JOBS=2 scripts/test "$@") >"$SCRATCH/out" 2>&1
}
has_line() { # REGEX: of the end of one of the lines that were written over each other
    tr '\r' '\n' <"$SCRATCH/out" | sed 's/\x1b\[K//' | grep -qE "$1"
}
last() {
    tail -n 1 "$SCRATCH/out"
}
# committed MESSAGE
committed() {
    git -C "$tree" add -A
    git -C "$tree" -c user.name=t -c user.email=t@example.org commit -qm "$1"
}
git -C "$tree" init -q -b main
printf '/build/\n' >"$tree/.gitignore"
echo 'int a;' >"$tree/src/store/log.c"
echo 'int b;' >"$tree/src/wire/json.c"
committed first

ok "all of it passes" in_tree
is "a skip of a unit test is counted as one, not as a failure" "$(last)" "6 passed, 0 failed, 3 skipped"
ok "a room over its budget is named" grep -q '^store  *3 tests .* of  *1 s   OVER BUDGET' "$SCRATCH/out"
ok "and once more at the end" grep -q '^OVER BUDGET: store ' "$SCRATCH/out"
ok "one within it is not" grep -q '^wire  *2 tests .* of  *60 s$' "$SCRATCH/out"

in_tree --renew-budget
is "its seconds are the budget, and half as much again" "$(sed 's/  */ /g' "$tree/tests/budget" | tail -n 3)" \
    "tree 10 0001 000?
wire 10 1001 1001
store 10 1010 101?"
echo '# whole 2026-01-01T00:00Z
wire 41
store 20' >"$tree/build/seconds-of-rooms"
ok "a budget can be renewed" in_tree --renew-budget
is "in whole tens, rooms that did not run keep theirs" \
    "$(sed 's/  */ /g' "$tree/tests/budget" | tail -n 3)" \
    "tree 10 0001 000?
wire 70 1001 1001
store 30 1010 101?"
git -C "$tree" checkout -q tests/budget

ok "a pattern chooses" in_tree 1001
is "by name" "$(last)" "1 passed, 0 failed, 1 skipped"
rm -f "$tree/build/.ninja_log" "$tree/build/made"
in_tree 1001
is "a program that it names is built, and nothing else" "$(cat "$tree/build/made")" src/cmd/barod
in_tree store_log
is "of unit tests only what it chooses" "$(tail -n +2 "$tree/build/made")" src/test_store_log

git -C "$tree" checkout -q -b work
echo 'int c;' >>"$tree/src/store/log.c"
ok "--quick passes with a change that is not committed" in_tree --quick
is "and runs what belongs to the changed room" "$(sed -n 's/^ *[0-9]* of [0-9]*  \([^ ]*\) .*/\1/p' "$SCRATCH/out" |
    sort | tr '\n' ' ')" "0001-command-line.t 0002-source.t 1010-store.t test_store_log "
committed second
echo '# more' >>"$tree/tests/1011-store-more.t"
ok "--quick passes with a commit that main has not" in_tree --quick
is "and runs a changed test itself" "$(grep -c 'test_store_log\|1011-store-more' "$SCRATCH/out")" 2
ok "--since leaves out what was changed before" in_tree --quick --since HEAD
is "and runs nothing of the store's but that test" \
    "$(grep -c 'test_store_log\|1010-store' "$SCRATCH/out")" 0
not in_tree --quick --since nonsense
ok "a revision that is not there is an error" grep -q "no revision 'nonsense'" "$SCRATCH/out"


# On a terminal: what is built, with the time left.
rm -f "$tree/build/.ninja_log" "$tree/build/made"
(cd "$tree" && script -qec "tools/build build" /dev/null) >"$SCRATCH/out" 2>&1 </dev/null
ok "a build on a terminal counts to its end" has_line '^3 of 3, 100 %, [0-9]+ s'
ok "and has the time left on the way" has_line '^[12] of 3, [0-9]+ %, [0-9]+ s, about [0-9]+ s left'

# 1010 needed 40 s in the last run, 1011 is new and counts as 10.
printf '1010-store.t 40\ntest_store_log 7\n' >"$tree/build/seconds"
touch "$tree/build/build.ninja"
(cd "$tree" && BUILD=build JOBS=1 script -qec "scripts/test store" /dev/null) >"$SCRATCH/out" 2>&1 </dev/null
is "a terminal is shown how long it will last" "$(tr -d '\r' <"$SCRATCH/out" |
    sed -n 's/^ *\([0-9] of [0-9]\) .*  about /\1: /p' | sort)" \
    "$(printf '%s\n' "1 of 3: 17 s left" "2 of 3: 7 s left" "3 of 3: 0 s left")"
rm -f "$tree/build/seconds"

unit wire_json 1..2 "ok 1 - words" "not ok 2 - the others"
ok "a failure fails" not in_tree wire_json
is "a part of a run leaves the seconds of a whole one alone" \
    "$(tail -n 1 "$tree/build/seconds-of-rooms")" "store 20"
is "and is counted" "$(last)" "1 passed, 1 failed, 0 skipped"
unit wire_json 1..2 "ok 1 - words" "not ok 2 # SKIPPED as far as I know"
ok "so does one whose name begins like a skip" not in_tree wire_json
unit wire_json "ok 1 - words"
ok "so does a test without a plan" not in_tree wire_json
printf '#!/bin/sh\necho 1..1\necho "ok 1 - words"\nexit 3\n' >"$tree/build/src/test_wire_json"
ok "so does one that ends badly" not in_tree wire_json
ok "so does a pattern that chooses nothing" not in_tree no-such-test
is "with a closing line" "$(last)" "0 passed, 0 failed, 0 skipped"
finish
