#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over the C files that were changed: since $BARO_CHANGED_SINCE, which
# scripts/test sets, or the commit before this one.  At most $TIDY_FILES of them, those that
# were changed last first; tools/lint looks at all.
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
find_nothing() {
    xargs -r env BUILD="$BUILD" tools/lint <"$SCRATCH/files"
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
finish
