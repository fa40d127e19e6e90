#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of a log as HTML: by interface, by size, by file, and over time by process, node
# and target, as far as the log has it; whole in itself.
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1
make=$BUILD/src/source/darshan/darshan_make

"$make" 341 little zlib 30 >made.darshan
ok "a log has a page" sh -c 'baro job show -o html made.darshan >made.html'
is "with its interfaces, files, and bytes over time" \
    "$(grep -oE '<h[23]>(By interface|Files with most time|Its log in detail|Its bytes over time)' made.html | sort -u | wc -l)" 4
is "each interface is a row" "$(grep -c '^<tr><th>POSIX</th>' made.html)" 1
is "of many files twenty are shown, and how many there are" \
    "$(sed -n '/Files with most time/,/<\/table>/p' made.html | grep -c '<th title=') $(grep -oE 'Of [0-9]+ files?\.' made.html)" "20 Of 33 files."
is "its access is traced: where and when" "$(grep -oE 'Bytes by (process|node|target)' made.html | sort -u | tr '\n' ' ')" \
    "Bytes by node Bytes by process Bytes by target "
ok "the node is named" grep -q '>node017</text>' made.html
is "nothing is loaded or run" "$(grep -ciE '<script|src=|href=|url\(|@import|onload' made.html)" 0
is "each section ends" "$(grep -o '<section' made.html | wc -l)" "$(grep -o '</section>' made.html | wc -l)"
is "each table ends" "$(grep -o '<table' made.html | wc -l)" "$(grep -o '</table>' made.html | wc -l)"
ok "text and JSON have the evidence, too" sh -c '
    baro job show made.darshan | grep -q "^Known of it: its log" &&
    baro job show -o json made.darshan | jq -e ".evidence | map(select(.is_found)) | map(.name) == [\"facts\"]" >/dev/null'
is "without a server that is the reason" \
    "$(baro job show -o json made.darshan | jq -r '.evidence[] | select(.name == "nodes").reason')" "no barod was named, --server"

# Three runs, of which one has accesses of another size.
planted=$BUILD/tests/sim/planted_make
"$planted" "" 1 >a
"$planted" "" 2 >b
"$planted" "access size" 3 >c
baro job diff a b c -o json >runs 2>notes
is "of three runs each is a row" "$(jq -c '[.[].run]' runs)" '["a","b","c"]'
is "a measure that differs is the first column of measures" \
    "$(jq -r '.[0] | keys_unsorted[4]' runs)" "$(sed -n 's/^# above the noise floor differ, in multiples of it: \([a-z_]*\) .*/\1/p' notes)"
ok "and it has other values" sh -c 'jq -e "map(.access_bytes) | .[1] / .[0] < 1.05 and (.[1] - .[2] | fabs) > .[1] / 10" runs >/dev/null'
baro job diff a a a -o csv >runs 2>notes
is "of equal runs none differs" "$(cat notes)" "# no measure of the 3 runs differs above the noise floor"
baro job diff a b c --climate runs.csv 2>said
is "a climate is of two runs only" "$? $(grep -c 'of two jobs only' said)" "2 1"

if [ -z "$SHARED" ]; then
    skip "recorded logs" "they are not here"
    finish
fi
logs=$SHARED/data/tokio/darshan
titles() {
    baro job show -o html "$1" | grep -oE 'Bytes by (process|node|target)' | sort -u | tr '\n' ' '
}
is "a heat map is by process" "$(titles "$logs/more/e3sm_io_heatmap_only.darshan")" "Bytes by process "
is "traces and layouts are by target, too" "$(titles "$logs/v3/ior_hdf5_example.darshan")" \
    "Bytes by node Bytes by process Bytes by target "
is "accesses are counted by size" "$(baro job show -o html "$logs/v3/ior_hdf5_example.darshan" | grep -c '<h3>Accesses by size')" 1
is "HDF5 is an interface" "$(baro job show -o html "$logs/v3/ior_hdf5_example.darshan" | grep -cE '^<tr><th>H5[FD]</th>')" 2
finish
