#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A durable record at the end of a log loses a sector, as by a fault of the disk: that looks
# like what a crash leaves, and is cut off at the start, but kept beside the log.  Zeros
# alone are cut without a copy; what cannot be kept is not cut.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl python3
socket=$SCRATCH/barod.sock
store=$SCRATCH/store
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = $store
retention = 3650d
own_metrics = 0s
[metric m]
step = 1s
CONF
put() { # HOST FIRST COUNT: one durable record of samples
    awk -v h="$1" -v t="$2" -v n="$3" 'BEGIN { srand(t); for (i = 0; i < n; i++)
        printf "m,cluster=c,hostname=%s value=%s %d\n", h, 1 + rand(), t + i }' |
        curl -s -o /dev/null -w '%{http_code}' --unix-socket "$socket" \
            'http://x/api/write?durable=1' --data-binary @-
}
die() {
    kill -9 $pid
    wait $pid 2>/dev/null
}
log_of() { # the log that was written last
    # shellcheck disable=SC2012 # names of our own
    ls -t "$store"/log-*[0-9] | head -n 1
}
begin=$(($(date +%s) - 86400))
ok "barod starts" start_barod
is "a record is durable" "$(put a "$begin" 400)" 200
first=$(stat -c %s "$(log_of)")
is "and another" "$(put a $((begin + 1000)) 400)" 200
die
log=$(log_of)
python3 - "$log" "$first" "$SCRATCH/tail" <<'E2'
import sys
path, first, tail = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with open(path, "r+b") as f:
    sector = (first // 512 + 1) * 512
    f.seek(sector)
    f.write(bytes(512))
    f.seek(first)
    with open(tail, "wb") as out:
        out.write(f.read())
E2
ok "barod starts" start_barod
ok "what was cut off is kept, byte for byte" cmp "$SCRATCH/tail" "$log.$first.torn"
ok "and said" grep -q "cut at byte $first; the .* bytes behind are saved as '$log.$first.torn'" \
    "$SCRATCH/barod.log"
ok "the store is well but for that" baro store verify "$store"
is "the next record is durable" "$(put b "$begin" 400)" 200
die
log=$(log_of)
size=$(stat -c %s "$log")
truncate -s +3000 "$log"
ok "barod starts behind zeros" start_barod
ok "they are cut" test "$(stat -c %s "$log")" -eq "$size"
ok "and not kept" test ! -e "$log.$size.torn"
is "one more is durable" "$(put c "$begin" 400)" 200
die
log=$(log_of)
size=$(stat -c %s "$log")
printf 'half a record, of which no byte is zero' >>"$log"
mkdir "$log.$size.torn"
ok "barod starts where the copy has no place" start_barod
ok "nothing is cut" test "$(stat -c %s "$log")" -gt "$size"
ok "and why is said" grep -q 'could not be saved beside it' "$SCRATCH/barod.log"
is "what is durable is there" "$(curl -s --unix-socket "$socket" \
    "http://x/v1/query?metric=m&component=c/*&from=@$begin&format=csv" | sed 1d | wc -l)" 1200
finish
