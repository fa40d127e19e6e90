#!/bin/sh
# The source itself: layers, style, format, spelling, shell scripts.
. "$(dirname "$0")/lib.sh"
cd "$TOP" || exit 1
requires clang-format-14 shellcheck codespell perl

ok "rooms include only what src/LAYERS lets them" perl tools/check-layers
ok "the rules of tools/tidy are held" perl tools/tidy
c_files() {
    git ls-files -co --exclude-standard '*.c' '*.h' | while read -r f; do
        [ ! -f "$f" ] || echo "$f"
    done
}
format_check() {
    c_files | xargs clang-format-14 --dry-run --Werror
}
ok "every C file is formatted" format_check
scripts() {
    git ls-files -co --exclude-standard scripts tools tests .ci bench etc fuzz |
        grep -v '^fuzz/corpus' | while read -r f; do
        [ -f "$f" ] && head -n 1 "$f" | grep -qE '^#!.*\b(sh|bash)\b' && echo "$f"
    done
    true
}
shell_check() {
    scripts | xargs shellcheck -S warning -e SC1090,SC1091,SC2154
}
ok "shellcheck finds nothing in the scripts" shell_check
spelling() {
    git ls-files -co --exclude-standard | grep -vE '^(fuzz/corpus|LICENSE|web/dist)' |
        xargs codespell -q 3 -L "ost,tread,mdt,sid,crypted,caf,te,nd,fo,ro,wit,hist,rcv,intervall,nulll,ser,namd,raed,ue"
}
ok "codespell finds nothing" spelling
cpp_check() {
    # It does not know __attribute__((cleanup)): leaks are LeakSanitizer's to find;
    # nor compound literals after a colon.
    # What was found of a file, headers and options included, is read again until any of them
    # changes: the directory has its sum and its findings.
    mkdir -p "$BUILD/cppcheck" &&
        cppcheck -q -j "$(nproc)" --cppcheck-build-dir="$BUILD/cppcheck" --std=c11 --enable=warning,performance,portability --inline-suppr \
            --suppress=missingIncludeSystem --suppress=unknownMacro --suppress=memleak --suppress=resourceLeak --suppress=internalAstError \
            --suppress=ctuuninitvar:src/blocks/block.c \
            --error-exitcode=1 -D_GNU_SOURCE -Isrc src tests/sim
}
ok "cppcheck finds nothing" cpp_check
finish
