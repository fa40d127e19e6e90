#!/bin/sh
# The README: every baro command in it exists, with every option that it names.
. "$(dirname "$0")/lib.sh"
cd "$TOP" || exit 1

baro --dump-options >"$SCRATCH/commands"
# Indented lines, and what stands behind a pipe or sudo in them; comments taken off.
sed -n 's/^    //p' README.md | sed 's/  *#.*//; s/.*| *baro /baro /; s/.*sudo baro /baro /; s/ > .*//; s/ | .*//' |
    grep '^baro ' >"$SCRATCH/lines"

check_line() {
    words=${1#baro }
    case $words in
    --*)
        # shellcheck disable=SC2086 # words on purpose
        baro $words
        return
        ;;
    esac
    # The longest name of a command that the line begins with.
    name=$(while read -r c; do
        case "$words " in "$c "*) echo "$c" ;; esac
    done <"$SCRATCH/commands" | awk '{ if (length > length(best)) best = $0 } END { print best }')
    [ -n "$name" ] || {
        echo "there is no such command: $1"
        return 1
    }
    # shellcheck disable=SC2086 # words on purpose
    baro $name --dump-options >"$SCRATCH/options"
    for option in $(echo "$words" | grep -oE -- '(^| )--[a-z-]+'); do
        grep -qx -e "$option" "$SCRATCH/options" || {
            echo "$name has no $option"
            return 1
        }
    done
}
while read -r line; do
    ok "README: $line" check_line "$line"
done <"$SCRATCH/lines"
ok "there are such lines" test -s "$SCRATCH/lines"
finish
