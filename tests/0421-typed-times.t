#!/bin/sh
# Times that a person types without a zone are of the clocks of the place: TZ, or --zone;
# barod is sent the same instant, whatever its own zone.
. "$(dirname "$0")/lib.sh"
requires curl python3
[ -f /usr/share/zoneinfo/America/New_York ] || skip_all "no zone database (tzdata)"

socket=$SCRATCH/barod.sock
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
own_metrics = 0s
retention = 30d
[metric load]
step = 60s
CONF
mkdir "$SCRATCH/store"
TZ=Asia/Tokyo barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
at_exit "kill -9 $!"
ok "barod starts, in Tokyo" wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
BARO_SERVER=unix:$socket
export BARO_SERVER
# One sample a minute of yesterday's 12:00 to 12:59 UTC, worth its minute.
day=$(date -u -d yesterday +%F)
noon=$(date -u -d "$day 12:00Z" +%s)
i=0
while [ $i -lt 60 ]; do
    echo "load,cluster=c,hostname=h,type=node value=$i $((noon + i * 60))"
    i=$((i + 1))
done | curl -sf --unix-socket "$socket" --data-binary @- 'http://x/write?precision=s' >/dev/null
count() { # the samples of a window: COMMAND...
    "$@" --output csv | grep -c "h.*$day.*[0-9]"
}
local_day=$(TZ=America/New_York date -d "@$noon" +%F)
local_time=$(TZ=America/New_York date -d "@$((noon + 600))" +%H:%M)
is "UTC as typed with its zone" "$(count baro metric query load c/h --from "${day}T12:10Z" --to "${day}T12:20Z")" 10
is "by the machine's clocks" "$(TZ=America/New_York count baro metric query load c/h --from "$local_day $local_time" --to "${day}T12:20Z")" 10
is "by --zone" "$(count baro metric query load c/h --zone America/New_York --from "$local_day $local_time" --to "${day}T12:20Z")" 10
is "by an offset" "$(count baro metric query load c/h --zone +01:00 --from "$day 13:10" --to "$day 13:20")" 10
is "--zone counts for all times, wherever it stands" "$(count baro metric query load c/h --from "$day 13:10" --to "$day 13:20" --zone=+01:00)" 10

refused() { # WORDS TIME ZONE
    "$BUILD/src/cmd/baro" metric query load c/h --from "$2" --zone "$3" >/dev/null 2>"$SCRATCH/err"
    is "$1: status 2" $? 2
    ok "$1: says why" grep -q "$1" "$SCRATCH/err"
}
refused "comes twice in Europe/Berlin: write 2026-10-25T00:30:00Z or 2026-10-25T01:30:00Z" "2026-10-25 02:30" Europe/Berlin
refused "clocks skip in Europe/Berlin" "2026-03-29 02:30" Europe/Berlin
TZ=Nowhere/Atall baro metric query load c/h --from "2026-03-29 02:30" 2>"$SCRATCH/err"
ok "a TZ that names no zone is reported" grep -q "TZ of the environment: 'Nowhere/Atall'" "$SCRATCH/err"
# A terminal is shown the machine's clocks; redirected, times are in UTC whatever the zone.
TZ=Nowhere/Atall python3 "$TOP/tests/sim/screens.py" 100 30 baro metric query load c/h >"$SCRATCH/shown" 2>&1
is "nor is it UTC on a terminal: it fails" $? 1
ok "on a terminal, too, it is reported" grep -q "TZ of the environment: 'Nowhere/Atall'" "$SCRATCH/shown"
ok "where nothing is shown by it, it does not matter" env TZ=Nowhere/Atall baro metric query load c/h
printf '%s\n' 'JobID|Cluster|State|Start|End|NNodes|NodeList|User' \
    '1|c|COMPLETED|2026-11-21T07:00:00|2026-11-21T08:00:00|1|h|ann' >"$SCRATCH/sacct.txt"
TZ=Nowhere/Atall baro job list "$SCRATCH/sacct.txt" >"$SCRATCH/list" 2>&1
is "a list of jobs with such times is refused" $? 1
ok "for that reason" grep -q "cannot be read: TZ of the environment: 'Nowhere/Atall'" "$SCRATCH/list"
refused "'Europe/Nowhere' is not a time zone" "2026-03-29 02:30" Europe/Nowhere
curl -s --unix-socket "$socket" "http://x/v1/query?metric=load&component=c/h&from=2026-11-21%2006:00" >"$SCRATCH/rest"
ok "by REST a time needs its zone" grep -q "2026-11-21T06:00Z" "$SCRATCH/rest"
finish
