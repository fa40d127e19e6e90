#!/bin/sh
# The rooms as the objects call each other are those of src/LAYERS, and stay small.
. "$(dirname "$0")/lib.sh"
cd "$TOP" || exit 1
requires perl nm cc

ok "objects call each other as src/LAYERS says, without a circle of files" \
    perl tools/draw-layers "$BUILD"

# The tool itself: a tree of two rooms, with what it must find.
tree=$SCRATCH/tree
mkdir -p "$tree/src/low/liblow.a.p" "$tree/src/high/libhigh.a.p"
printf 'low\nhigh low\n' >"$tree/src/LAYERS"
object() { # ROOM FILE TEXT
    echo "$3" >"$tree/src/$1/$2.c"
    cc -c -o "$tree/src/$1/lib$1.a.p/$2.c.o" "$tree/src/$1/$2.c"
}
drawn() {
    TOP=$tree perl tools/draw-layers "$tree" >"$SCRATCH/drawn" 2>&1
}
object low ground 'int ground(void); int ground(void) { return 1; }'
object high roof 'int ground(void); int roof(void); int roof(void) { return ground(); }'
ok "a call to a lower room is an arrow, and right" drawn
is "the arrow is printed" "$(sed -n 's/^high  *//p' "$SCRATCH/drawn")" low
object low ground 'int roof(void); int ground(void); int ground(void) { return roof(); }'
not_ok() {
    name=$1
    shift
    if "$@"; then fail "$name"; else pass "$name"; fi
}
not_ok "a call to a higher room is found" drawn
is "with the files and the symbol" "$(grep -c '^wrong arrow: low -> high (low/ground.c -> high/roof.c: roof)' "$SCRATCH/drawn")" 1
object low ground 'int ground(void); int ground(void) { return 1; }'
object high walls 'int roof(void); int walls(void); int walls(void) { return roof(); }'
object high roof 'int walls(void); int ground(void); int roof(void); int roof(void) { return walls() + ground(); }'
not_ok "a circle of two files is found" drawn
is "with both files" "$(grep -c '^circle in high: high/roof.c high/walls.c' "$SCRATCH/drawn")" 1
object high roof 'int roof(void); int roof(void) { return 1; }'
not_ok "a line that nothing uses is found" drawn
is "by its name" "$(grep -c '^unused: the line of high names low' "$SCRATCH/drawn")" 1

large_folders() {
    find src -type d | while read -r folder; do
        count=$(git ls-files -co --exclude-standard "$folder" | sed "s|^$folder/||; s|/.*||" | sort -u | wc -l)
        [ "$count" -le 60 ] || echo "$folder: $count entries"
    done
}
is "no folder of src has more than 60 entries" "$(large_folders)" ""
lines_of_cmd() {
    find src/cmd -name '*.[ch]' -exec cat {} + | wc -l
}
ok "src/cmd has at most 11,000 lines" [ "$(lines_of_cmd)" -le 11000 ]
large_commands() {
    find src/cmd -name '*.[ch]' -exec wc -l {} + |
        awk '$2 != "total" && $1 > 200 { print $2, $1 }' | sort
}
is "no file of src/cmd has more than 200 lines" "$(large_commands)" ""
finish
