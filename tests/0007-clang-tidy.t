#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over the C files that were changed: since $BARO_CHANGED_SINCE, which
# scripts/test sets, or the commit before this one.  At most $TIDY_FILES of them, those that
# were changed last first; what it finds on lines that were changed counts.  tools/lint looks
# at all.
. "$(dirname "$0")/lib.sh"
cd "$TOP" || exit 1
requires clang-tidy-14 git

files_max=${TIDY_FILES:-24}
git rev-parse -q --verify HEAD >/dev/null || skip_all "this is no clone: nothing says what was changed"
base=${BARO_CHANGED_SINCE:-$(git rev-parse -q --verify HEAD~1 || git rev-parse HEAD)}

# What the build knows, that is, no file of an option that is off.
is_built() {
    grep -q "/${1#src/}\"" "$BUILD/compile_commands.json"
}
changed() {
    {
        git diff --name-only --diff-filter=d HEAD --
        git ls-files -o --exclude-standard
        git log --format= --name-only "$base..HEAD" --
    } | grep -E '^(src|tests/sim)/.*\.c$' | grep -v /test/ | awk '!seen[$0]++' |
        while IFS= read -r file; do
            [ ! -f "$file" ] || ! is_built "$file" || echo "$file"
        done
}
changed >"$SCRATCH/changed"
head -n "$files_max" "$SCRATCH/changed" >"$SCRATCH/files"
echo "# $(wc -l <"$SCRATCH/files") of $(wc -l <"$SCRATCH/changed") files changed since $base"
# changed_lines BASE FILE...: file, first and last line of each changed piece.
changed_lines() {
    git diff -U0 "$@" | awk '
        /^\+\+\+ b\// { file = substr($2, 3) }
        /^@@ / {
            count = split(substr($3, 2), part, ",") > 1 ? part[2] : 1
            if (count > 0)
                print file, part[1], part[1] + count - 1
        }'
    for file in $(git ls-files -o --exclude-standard); do
        echo "$file 1 1000000"
    done
}
# findings RANGES: those of standard input that lie on changed lines.
findings() {
    awk -F: -v ranges="$1" '
        BEGIN {
            while ((getline line < ranges) > 0) {
                split(line, r, " ")
                n++; name[n] = r[1]; first[n] = r[2]; last[n] = r[3]
            }
        }
        {
            file = $1
            sub(/^.*\.\.\//, "", file)
            for (i = 1; i <= n; i++)
                if (name[i] == file && $2 >= first[i] && $2 <= last[i]) {
                    print
                    break
                }
        }'
}
find_nothing() {
    xargs -r env BUILD="$BUILD" tools/lint <"$SCRATCH/files" >"$SCRATCH/lint"
    # shellcheck disable=SC2046 # names of ours
    changed_lines "$base" -- $(cat "$SCRATCH/files") >"$SCRATCH/ranges"
    findings "$SCRATCH/ranges" <"$SCRATCH/lint" >"$SCRATCH/found"
    cat "$SCRATCH/found"
    [ ! -s "$SCRATCH/found" ]
}
if [ -s "$SCRATCH/files" ]; then
    ok "clang-tidy finds nothing in what was changed" find_nothing
else
    pass "no C file was changed"
fi

# It can find something.
mkdir -p "$SCRATCH/src"
cat >"$SCRATCH/src/bad.c" <<'END'
int divide(int a)
{
    int zero = 0;
    return a / zero;
}
END
printf '[{"directory":"%s","command":"cc -c src/bad.c","file":"src/bad.c"}]\n' "$SCRATCH" \
    >"$SCRATCH/compile_commands.json"
ok "what is wrong is found" sh -c "BUILD='$SCRATCH' tools/lint '$SCRATCH/src/bad.c' | grep -q DivideZero"
printf 'src/a.c 5 7\nsrc/b.c 1 1\n' >"$SCRATCH/ranges"
printf '%s\n' '../src/a.c:4:1: warning: x' '../src/a.c:5:1: warning: x' '/r/build/../src/a.c:7:9: error: y' \
    '../src/b.c:7:1: warning: z' >"$SCRATCH/lint"
is "what lies on changed lines counts" "$(findings "$SCRATCH/ranges" <"$SCRATCH/lint" | cut -d: -f2 | tr '\n' ' ')" "5 7 "
finish
