#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Words and names: tools/check-words holds the tree against tests/words, and finds what it is
# for in a small tree.
. "$(dirname "$0")/lib.sh"
requires perl git

cd "$TOP" || exit 1
ok "no word stands more often than tests/words allows" tools/check-words

mkdir -p "$SCRATCH/tree/src/room" "$SCRATCH/tree/doc/man" "$SCRATCH/tree/etc" "$SCRATCH/tree/tests"
cd "$SCRATCH/tree" || exit 1
cat >README.md <<'END'
# A tree

Nobody is told.
END
echo '# what it keeps' >etc/sample.conf
cat >src/room/noun.c <<'END'
/* SPDX-License-Identifier: Apache-2.0 */
/* noun - asks nobody. */
static int run(int *room_for_told)
{
    const char *text = "the answer "
                       "is none of them";
    return *text + *room_for_told;
}
END
for n in 1 2 3; do
    printf '/* x */\nstatic void run(void)\n{\n}\n' >src/room/other$n.c
done
words() {
    TOP=$PWD "$TOP_OF_TREE/tools/check-words" "$@"
}
TOP_OF_TREE=$TOP
words >"$SCRATCH/out"
is "words that are not allowed are an error" $? 1
for line in "README.md:3: documents" "etc/sample.conf:1: samples" "src/room/noun.c:5: strings" \
    "src/room/noun.c:2: comments" "src/room/noun.c:3: identifiers"; do
    ok "it names $line" grep -q "^    $line$" "$SCRATCH/out"
done
ok "and what to write" grep -q "^documents: 'told' .*write: submitted" "$SCRATCH/out"
ok "a phrase over two literals is found" grep -q "^strings: 'none of'" "$SCRATCH/out"
ok "a static name in four files is found" grep -q "^static 'run' is in 4 files" "$SCRATCH/out"

words --count >"$SCRATCH/count"
is "words are counted by place" "$(awk '$1 == "told"' "$SCRATCH/count" | tr -s ' ')" "told 1 0 0 0 2 3"
awk '/^[a-z]+: / { split($0, t, "'"'"'"); sub(":", "", $1); for (i = 1; i <= NF; i++) if ($i == "times,") n = $(i - 1)
    printf "%-12s %-14s %5d\n", $1, t[2], n }
    /^static / { print "static run 4" }' "$SCRATCH/out" >tests/words
ok "what is allowed is no error" words
rm src/room/other1.c
words >"$SCRATCH/out"
is "fewer than allowed is none either" $? 0
ok "and is said" grep -q '^fewer than tests/words has.*static run: 4, now 0' "$SCRATCH/out"
words --renew >"$SCRATCH/out"
ok "renewing lowers it" sh -c '! grep -q "^static" tests/words'
echo 'Somebody said so.' >>README.md
words --renew >"$SCRATCH/out"
ok "and never raises it" sh -c '! grep -q "say" tests/words'
finish
