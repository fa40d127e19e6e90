#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro darshan show: its forms, several logs, and what it says of logs that are not whole.
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1
make=$BUILD/src/source/darshan/darshan_make
[ -x "$make" ] || skip_all "the tests' own logs are not built"
"$make" 341 little zlib >whole.darshan
"$make" 310 big bzip2 >old.darshan
"$make" 300 big none >oldest.darshan
head -c 1500 whole.darshan >cut.darshan
head -c 100 whole.darshan >header.darshan
echo "not a log" >text.darshan
printf '2.06' | gzip >two.darshan.gz

show() {
    baro darshan show "$@" 2>errors
}
rows() {
    show "$1" | grep -v '^#' | grep . | cut -f 1-5 | sed -n "$2"
}

is "records are lines of module, rank, id, counter and value" \
    "$(show whole.darshan | grep POSIX_OPENS | tr '\t' ' ')" \
    "POSIX 0 11 POSIX_OPENS 3 /scratch/out.0 /scratch lustre
POSIX 1 12 POSIX_OPENS 4 /scratch/out.1 /scratch lustre
POSIX -1 13 POSIX_OPENS 5 /home/in\\x0Aput / ext4"
is "any format, byte order and compression gives the same counters" \
    "$(rows oldest.darshan '/POSIX_/p' | cksum)" "$(rows old.darshan '/POSIX_/p' | cksum)"
is "totals, files and speed follow each other" \
    "$(show --total --perf --file whole.darshan | grep -E '^(total_POSIX_OPENS|# (unique|shared|agg_perf_by_slowest|total_bytes)):')" \
    "total_POSIX_OPENS: 12
# unique: 2 3145728 1048575
# shared: 1 2097152 1048575
# total_bytes: 5242880
# agg_perf_by_slowest: 2.500000 # MiB/s"

is "the JSON form has the job" \
    "$(show -o json whole.darshan | jq -c '[.format, .byte_order, .job.jobid, .job.exe, .job.metadata.lib_ver, .mounts[0].type]')" \
    '["3.41","little",4711,"./app -n 4","3.5.0","lustre"]'
is "the JSON form has records" \
    "$(show -o json whole.darshan | jq -c '.modules[] | select(.module == "POSIX") | .records[2] | [.id, .rank, .name, .mount, .counters.POSIX_OPENS, .counters.POSIX_F_META_TIME]')" \
    '["13",-1,"/home/in\\x0Aput","/",5,0.25]'
is "the JSON form has layouts and traces" \
    "$(show -o json whole.darshan | jq -c '[.modules[] | .records[] | (.components // empty)[].ost_ids, (.segments // empty)[]]')" \
    '[[5,6],{"op":"write","offset":0,"length":4096,"start_s":0.5,"end_s":0.75}]'
is "the JSON form has totals" \
    "$(show -o json --total --perf --file whole.darshan | jq -c '.modules[0] | [.total.counters.POSIX_OPENS, .files.unique.count, .performance.agg_perf_by_slowest_mib_per_s, has("records")]')" \
    '[12,2,2.5,false]'
is "several logs are several objects" \
    "$(show -o json whole.darshan old.darshan | jq -r .path | tr '\n' ' ')" "whole.darshan old.darshan "

"$make" objects big zlib >objects.darshan
is "records of DFS and DAOS have their objects, and no mounts" \
    "$(show objects.darshan | awk -F'\t' '$4 ~ /_BYTES_WRITTEN$/ { print $1, $3, $5, $6, $7, $8 }')" \
    "DFS 21 67108864 /out N/A N/A
DAOS 21 67108864 210.211 N/A:N/A N/A
DAOS 22 1048576 220.221 N/A:N/A N/A"
is "their totals are added up" \
    "$(show --total objects.darshan | grep -E '^total_(DFS|DAOS)_(BYTES_WRITTEN|OBJ_OPENS|CHUNK_SIZE):')" \
    "total_DFS_BYTES_WRITTEN: 67108864
total_DFS_CHUNK_SIZE: 47
total_DAOS_OBJ_OPENS: 0
total_DAOS_BYTES_WRITTEN: 68157440"
is "a module that is not read is named, which is no failure" \
    "$(show whole.darshan >/dev/null; echo $?; cat errors)" "0
baro darshan show: whole.darshan: BG/Q: version 9 is not known: skipped"
is "it is named in the text too, with each of its parts" \
    "$(show whole.darshan | grep -c '^# .WARNING.: BG/Q: version 9 is not known: skipped$'
    show --perf whole.darshan | grep -c '^# .WARNING.: BG/Q: ')" "1
1"
is "and in the JSON form" \
    "$(show -o json --total whole.darshan | jq -c '[(.regions[] | select(.is_readable | not).module), .faults[]]')" \
    '["BG/Q","BG/Q: version 9 is not known: skipped"]'
"$make" autoperf big zlib >autoperf.darshan
is "calls of MPI have their process and its node" \
    "$(show autoperf.darshan | awk -F'\t' '$4 ~ /^MPI_(TOTAL|PROC|BARRIER)/ && $2 % 3 == 0 { print $1, $2, $4, $5 }')" \
    "APMPI 0 MPI_TOTAL_COMM_TIME_VARIANCE 0.250000
APMPI 0 MPI_PROCESSOR_NAME nid00001
APMPI 0 MPI_BARRIER_CALL_COUNT 1
APMPI 0 MPI_BARRIER_TOTAL_TIME 4.000000
APMPI 0 MPI_BARRIER_MIN_TIME 0.125000
APMPI 0 MPI_BARRIER_MAX_TIME 0.125000
APMPI 0 MPI_TOTAL_COMM_TIME 8.000000
APMPI 3 MPI_PROCESSOR_NAME nid00002
APMPI 3 MPI_BARRIER_CALL_COUNT 1
APMPI 3 MPI_BARRIER_TOTAL_TIME 12.000000
APMPI 3 MPI_BARRIER_MIN_TIME 0.125000
APMPI 3 MPI_BARRIER_MAX_TIME 0.125000
APMPI 3 MPI_TOTAL_COMM_TIME 24.000000"
is "routers have where they are, their modes and counters" \
    "$(show autoperf.darshan | awk -F'\t' '$1 == "APXC" && $4 ~ /MODE|NODE|BLADE/ { print $2, $4, $5 }')" \
    "0 APXC_BLADES 3
0 APXC_MEMORY_MODE MM_CACHE
0 APXC_MEMORY_MODE_CONSISTENT 1
0 APXC_CLUSTER_MODE CM_QUAD
0 APXC_CLUSTER_MODE_CONSISTENT 1
0 APXC_BLADE 2
0 APXC_NODE 3"
is "and both are in the JSON form" \
    "$(show -o json autoperf.darshan | jq -c '[.modules[] | select(.module | startswith("AP")) | .records[] | [.head.APXC_GROUPS, .hostname, .counters.MPI_TOTAL_COMM_TIME, .counters.APXC_NODE]]')" \
    '[[1,null,null,null],[null,null,null,3],[null,null,null,null],[null,"nid00001",8,null],[null,"nid00001",8,null],[null,"nid00002",8,null],[null,"nid00002",24,null]]'
is "a log that is cut is shown as far as it goes, and is a failure" \
    "$(show cut.darshan >shown; echo $?; grep -c 'jobid: 4711' shown; grep -c 'cut short' errors | sed 's/[1-9][0-9]*/some/')" "1
1
some"
is "an older format says what to do" "$(show two.darshan.gz; echo $?; cat errors)" "1
baro darshan show: two.darshan.gz: format 2.06 is not supported: convert with darshan-convert"
is "anything else is no log" "$(show text.darshan; echo $?; cat errors)" "1
baro darshan show: text.darshan: not a Darshan log"
is "half a header is said" "$(show header.darshan; cat errors)" \
    "baro darshan show: header.darshan: the log ends inside its header"
is "a log that is not there costs that log" \
    "$(show none.darshan whole.darshan | grep -c 'jobid: 4711'; head -n 1 errors)" "1
baro darshan show: none.darshan: No such file or directory"
is "a folder is no log" "$(show .; cat errors)" "baro darshan show: .: not a regular file"
is "no log is a misuse" "$(show; echo $?)" "2"
is "an unknown form is a misuse" "$(show -o xml whole.darshan; echo $?; cat errors)" "2
baro darshan show: --output: 'xml' is neither text nor json"

finish
