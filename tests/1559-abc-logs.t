#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where libdarshan is loaded into baro-abc, its logs stand beside the records, which name them;
# a log is read as any job's, and no run is counted twice.  libdarshan is no package of Debian: a
# library of the players leaves a log as it does (tests/sim/darshan/preload.c).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl
cd "$SCRATCH" || exit 1
library=$BUILD/tests/sim/libdarshan.so make=$BUILD/src/source/darshan/darshan_make
[ -f "$library" ] && [ -x "$make" ] || skip_all "the players are not built"

mkdir fs
now=$(($(date +%s) / 60 * 60))
"$make" 341 little none 3 $((now - 3600 - 1500000000)) >played.darshan
id=$(baro darshan show played.darshan | sed -n 's/^# jobid: //p')
# The library must not be checked by one that was built in.
loaded() { env LD_PRELOAD="$library" PLAYED_LOG="$PWD/played.darshan" ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 "$@"; }
abc() { loaded env DARSHAN_ENABLE_NONMPI=1 SLURM_JOB_ID="$id" SLURM_CLUSTER_NAME=nova "$BUILD/src/cmd/baro-abc" --lock fs --dir fs --size 1MiB -n 2 "$@"; }

# ---- children: a log each ----
abc --archive probes hacc >/dev/null 2>errors
is "nothing is wrong" "$?$(cat errors)" 0
record=$(find probes -name '*.json')
jq -r '.phases[].processes[].log' "$record" >named
is "the record names a log of each process in each phase" "$(wc -l <named)" 4
is "each is below the archive, beside the record" \
    "$(while read -r log; do cmp "probes/$log" played.darshan && [ "$(dirname "probes/$log")" = "$(dirname "$record")" ] && echo same; done <named | sort | uniq -c | tr -s ' ')" " 4 same"
is "named as the record is" "$(head -n 1 named)" "$(echo "${record#probes/}" | sed 's/.json$/-write.0.darshan/')"
is "nobody writes them" "$(find probes -name '*.darshan' -perm 0400 | wc -l)" 4
is "no other log is in the record" "$(jq -c '[.log, .failure]' "$record")" '[null,null]'
is "nothing is left" "$(find fs -mindepth 1 | wc -l)" 0

# ---- the run is joined as every job's ----
is "each phase is one run, its logs are no others" "$(baro job summarize -o json probes 2>&1 | jq -c '[.[]._log | sub(".*:"; "")] | sort')" \
    '["read","write"]'
log=probes/$(head -n 1 named)
is "a log that is named itself is read" "$(baro job summarize -o json "$log" | jq length)" 1
barod_conf
start_barod
printf '{"cluster":"nova","id":"%s","raw_id":"%s","user":"ann","state":"COMPLETED","start":%s,"end":%s,"nodes":"c[1-2]","cpus":4}\n' \
    "$id" "$id" $((now - 3660)) $((now - 3000)) | curl -s -o reply --unix-socket sock -H 'Content-Type: application/x-ndjson' --data-binary @- http://x/v1/jobs
baro job show --server "$server" -o json "$log" >page.json
is "the page of its log has the record of the batch system, and the log" \
    "$(jq -c '[.job.id, (.evidence | map(select(.is_found).name))]' page.json)" "[\"$id\",[\"record\",\"facts\"]]"
is "its bytes are the log's" "$(jq .measures.bytes page.json)" "$(baro job show -o json played.darshan | jq .measures.bytes)"

# ---- kept as long as its record ----
sleep_second() { [ "$(date +%s)" != "$second" ]; }
second=$(date +%s)
wait_for 5 sleep_second
abc --archive probes --archive-max 1 hacc >/dev/null
is "with the oldest record its logs go" "$(find probes -name '*.json' | wc -l) $(find probes -name '*.darshan' | wc -l)" "1 4"
ok "those that stay are of the record that stays" sh -c 'for log in $(jq -r ".phases[].processes[].log" $(find probes -name "*.json")); do [ -f "probes/$log" ] || exit 1; done'

# ---- where there are none ----
loaded "$BUILD/src/cmd/baro-abc" --lock fs --dir fs --size 1MiB -n 2 --archive none hacc >/dev/null 2>errors
is "what libdarshan does not write is said" "$?$(cat errors)" \
    "0baro-abc: libdarshan wrote no log of 4 processes: without MPI it wants DARSHAN_ENABLE_NONMPI in the environment"
is "and not named" "$(jq -c '[.log, .phases[].processes[].log]' "$(find none -name '*.json')")" '[null,null,null,null,null]'
abc hacc >/dev/null 2>errors
is "without an archive there is nothing of it" "$?$(cat errors)" 0
loaded env DARSHAN_DISABLE=1 "$BUILD/src/cmd/baro-abc" --lock fs --dir fs --size 1MiB --archive off hacc >/dev/null 2>errors
is "nor where it is disabled" "$?$(cat errors) $(find off -name '*.darshan' | wc -l)" "0 0"

# ---- ranks of MPI: one log of all ----
mpi=$BUILD/src/cmd/baro-abc-mpi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if [ ! -x "$mpi" ] || ! mpirun --oversubscribe -n 2 true 2>/dev/null; then
    skip "ranks of MPI" "mpirun cannot start two processes here"
    finish
fi
mpirun --oversubscribe -n 2 env LD_PRELOAD="$library" PLAYED_LOG="$PWD/played.darshan" \
    ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 "$mpi" --mpi --lock fs --dir fs --size 1MiB --archive ranks hacc vpic >/dev/null 2>errors
is "two probes of two ranks" "$? $(grep -c '^baro-abc' errors) $(find ranks -name '*.json' | wc -l)" "0 0 2"
is "have one log, which both name" \
    "$(find ranks -name '*.json' -exec jq -r .log {} + | sort -u)" "$(find ranks -name '*.darshan' | sed 's/^ranks.//')"
ok "and it is whole" cmp "$(find ranks -name '*.darshan')" played.darshan
is "it is no run of its own" "$(baro job summarize -o json ranks | jq length)" 4
finish
