#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pages of recorded logs, sentence by sentence: what they say is so.
. "$(dirname "$0")/lib.sh"
requires jq
here=$(cd "$(dirname "$0")/.." && pwd)
logs=$here/../shared/data/tokio/darshan
[ -d "$logs/more" ] || skip_all "no ../shared"
cd "$SCRATCH" || exit 1
page() { COLUMNS=1000 baro job show "$1"; }
json() { baro job show -o json "$1" | jq -c "$2"; }
has() { # has "what it says" LOG PATTERN
    page "$2" >page.out
    ok "$1" grep -qE "$3" page.out
}
lacks() { # lacks "what it must not say" LOG PATTERN
    page "$2" >page.out
    ok "$1" not grep -qE "$3" page.out
}
e3sm=$logs/more/e3sm_io_heatmap_only.darshan
skew=$logs/more/skew-autobench-ior.darshan
imbalanced=$logs/v3/imbalanced-io.darshan

# ---- the outermost interface ----
has "e3sm_io: the time in MPI-IO" "$e3sm" "^I/O lasted 686 to 699 s of the 727 s"
has "what the file system saw, and how much more that was" "$e3sm" \
    "file system saw 284 GiB, 3.9 times what the calls of MPI-IO requested, at 1024 MiB/s"
is "bandwidth as the application saw it" "$(json "$e3sm" '.measures.speed_mib_per_s | floor')" 105
lacks "aggregators of collective calls are no imbalance" "$e3sm" imbalanced
has "skewed IOR: the slowest process and the average one" "$skew" \
    "^I/O lasted 651 s of the 659 s \(99 %\), 608 s in the average process"
lacks "nor is there an imbalance" "$skew" imbalanced
has "one stripe is named as the cause" "$imbalanced" "^What stands out: one-stripe"
lacks "of records that are missing it is not known what the file system saw" "$imbalanced" "The file system saw"
is "nor how much more that was" \
    "$(json "$imbalanced" '[.measures.amplification, .measures.fs_speed_mib_per_s, .file_system_bytes]')" '[null,null,null]'
has "with the time of MPI-IO" "$imbalanced" "lasted 1150 to .* of the 1479 s"

# ---- sizes ----
lacks "reads of 1 MiB are not small" "$skew" small
for log in "$logs"/more/*.darshan "$logs"/v3/*.darshan; do
    baro job show -o json "$log" >json.out 2>/dev/null || continue
    ok "$(basename "$log"): small accesses are not more than there are" \
        jq -e '.measures.small_share as $s | $s == null or ($s >= 0 and $s <= 1)' json.out
done

# ---- DAOS ----
dfs=$(ls "$logs"/more/snyder_ior-DFS_*.darshan)
has "bytes by DFS are read, and those of DAOS below are not counted again" "$dfs" "for 32.0 MiB at [0-9]* MiB/s"
is "nothing is left unread" "$(json "$dfs" '.gaps.unread')" '[]'
is "small accesses by DFS are none of 1 MiB" "$(json "$dfs" '.measures.small_share')" 1

# ---- two runs ----
hdf5=$logs/more/hdf5_diagonal_write
baro job diff "${hdf5}_1_byte_dxt.darshan" "${hdf5}_bytes_range_dxt.darshan" >diff.out
ok "what runs did through HDF5 is compared, too" grep -q "^ 1\. bytes moved, HDF5 data sets  *10 B -> 550 B " diff.out
ok "runs that did not do the same through HDF5 did not do the same" not grep -q "Both did the same" diff.out
ok "nothing is left out of the comparison" not grep -q "Not compared" diff.out

# ---- what AutoPerf recorded ----
autoperf=$logs/more/apmpi_apxc-mpi-io-test.darshan
is "calls of MPI and routers are read: nothing is left unread" "$(json "$autoperf" .gaps.unread)" '[]'
has "how long calls of MPI lasted, and which" "$autoperf" \
    "^Calls of MPI lasted 0.39 s in the average process and 0.76 s in process 3, most of all MPI_Barrier with 0.38 s"
has "flits and stalls of routers, which are not of the job alone" "$autoperf" \
    "^1 router of its network counted 4.66e.08 flits and 7.1e.08 stalls, of all jobs that used it\.$"
milc=$logs/v3/darshan-apmpi-2nodes-64mpi.darshan
[ ! -e "$milc" ] || has "calls of MPI of a log that darshan-parser does not read" "$milc" \
    "^Calls of MPI lasted 367 s in the average process and 374 s in process 46, most of all MPI_Allreduce"
has "each interface is there for itself" "$e3sm" \
    "^By interface: MPI-IO 72.1 GiB in 110796 accesses, POSIX 284 GiB in 620996 accesses, STDIO"

# ---- threads ----
dxt=$logs/v3/dxt.darshan
if [ -e "$dxt" ]; then
    is "of times that are longer than the run no speed is made" \
        "$(json "$dxt" '[.measures.speed_mib_per_s, .measures.fs_speed_mib_per_s]')" '[null,null]'
    has "nor printed" "$dxt" "^I/O lasted at most 1469 s of the 1469 s .*, for 33.9 MiB\.$"
    lacks "nor is metadata the reason" "$dxt" metadata-heavy
fi

# ---- what cannot be so ----
has "a record with a negative time is left out, and counted" "$logs/v3/sample.bzip2.darshan" \
    "^Left out, since their bytes or times cannot be so: 1 record\."

# ---- what a log lacks ----
partial=$logs/v3/partial_data_stdio.darshan
if [ -e "$partial" ]; then
    is "a module without all records: the log is not whole, and it is named" \
        "$(json "$partial" '[.is_whole, .gaps.partial]')" '[false,["STDIO"]]'
    has "on the page" "$partial" "Darshan had no memory for all records of STDIO"
    lacks "and nothing is said to be no reason" "$partial" "is not the reason|Nothing stands out"
    is "and in the line" "$(baro job show --line "$partial" | grep -o 'partial: STDIO')" "partial: STDIO"
fi
head -c 300000 "$e3sm" >cut.darshan # ends in the last module, the heat map
head -c 12000 "$e3sm" >short.darshan
has "a log cut in POSIX has no verdict on it" short.darshan "What stands out is not known"
is "and says where it is cut" "$(json short.darshan '[.is_whole, (.gaps.damaged | index("POSIX") != null), (.findings | length)]')" "[false,true,0]"
# ---- what to do ----
advice() { baro job show -o json "$1" 2>err | jq -r --arg name "$2" '.findings[] | select(.name == $name).advice'; }
is "small accesses below MPI-IO: collective buffering, by its hints" "$(advice "$logs/more/e3sm_io_heatmap_only.darshan" small | grep -c 'romio_cb_write=enable')" 1
is "what another finding explains has none of its own" "$(advice "$logs/more/e3sm_io_heatmap_only.darshan" unaligned)" null
is "the page has it, too" "$(COLUMNS=1000 baro job show "$logs/more/e3sm_io_heatmap_only.darshan" 2>err | grep -c '^  *Write and read larger pieces')" 1
is "and that for a browser" "$(baro job show -o html "$logs/more/e3sm_io_heatmap_only.darshan" 2>err | grep -c '^<p>Write and read larger pieces')" 1
finish
