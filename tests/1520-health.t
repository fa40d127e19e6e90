#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro health show: fullness and servers of file systems at a moment.
. "$(dirname "$0")/lib.sh"
requires jq gzip
cd "$SCRATCH" || exit 1

# df TIME USED: a block of two OSTs, one of them inactive from 300 on.
df() {
    echo "BEGIN $1"
    echo "UUID 1K-blocks Used Available Use% Mounted on"
    echo "far-away-OST0000_UUID 1000 $2 0 1% /scratch one[OST:0]"
    if [ "$1" -ge 300 ]; then
        echo "far-away-OST0001_UUID : inactive device"
    else
        echo "far-away-OST0001_UUID 1000 100 900 10% /scratch one[OST:1]"
    fi
}
{ df 100 500 && df 300 900 && df 200 700; } >full
gzip -k full
{
    echo "BEGIN 150"
    for line in "0 fe80::1@tcp" "1 fe80::1@tcp" "2 oss2@o2ib" "3 10.0.0.3@tcp"; do
        echo " 1 UP osc far-away-OST000${line% *}-osc-ffff88 8dbd 5 ${line#* }"
    done
} >servers

show() {
    baro health show "$@" -o json 2>said |
        jq -c '.[] | [.filesystem, .mount, .space_age_s, .osts, .inactive, .mean_full_pct,
            .server_age_s, .servers, .osts_per_server, .overloaded_osts, .relieved_servers]'
}
is "the sample of a moment is the last before it, not the last in the file" \
    "$(show --at @250 full.gz servers)" '["far-away","/scratch one",50,2,0,40,100,3,1,2,0]'
is "without a moment the latest is shown" "$(show full)" \
    '["far-away","/scratch one",null,1,1,90,null,null,null,null,null]'
is "a moment after the last sample has the last, never the first" \
    "$(show --at @3000 full)" '["far-away","/scratch one",2700,1,1,90,null,null,null,null,null]'
ok "one that is too old is refused" sh -c '! baro health show --at @3901 full 2>said'
is "with both times" "$(cat said)" "baro health show: full: the last sample before \
1970-01-01T01:05:01Z is of 1970-01-01T00:05:00Z: 3601 s older, over the limit of 3600 s"
ok "unless that is allowed" baro health show --at @3901 --age-max 2h full
ok "nothing is taken from after the moment" sh -c '! baro health show --at @99 full'
sed 1d servers >raw
ok "a text without times is shown as it is" baro health show raw
ok "but not for a moment" sh -c '! baro health show --at @99 raw 2>said'
printf '1 UP osc a-OST0000-osc-ff 8d 5 h@tcp\nnonsense \033[1m\n' >bad
is "a line that cannot be read is named, and harmless" "$(baro health show bad -o csv 2>&1 >rows)" \
    'bad:2: it is of neither lfs df nor lctl dl: nonsense \x1B[1m'
is "and costs that line" "$(wc -l <rows)" 2
is "targets" "$(baro health show -t -o csv --at @250 full servers | cut -d, -f1,2,6,11 | tail -n +2)" "\
far-away-OST0000,true,70,fe80::1@tcp
far-away-OST0001,true,10,fe80::1@tcp
far-away-OST0002,true,,oss2@o2ib
far-away-OST0003,true,,10.0.0.3@tcp"
ok "a file that is missing fails" sh -c '! baro health show nothere'
ok "an unknown time is misuse" sh -c 'baro health show --at later full 2>said; [ $? -eq 2 ]'

# Recorded: a day of a centre with four file systems, and what another program made of it.
if [ -z "$SHARED" ]; then
    skip "the recorded day" "it is not here"
    finish
fi
inputs=$SHARED/data/tokio/pytokio/tests/inputs
expected=$SHARED/data/tokio/expected
full=$inputs/sample_ost-fullness.txt.gz
map=$inputs/sample_ost-map.txt.gz
# wanted KEY; got AT MOUNT: means rounded as the other program did, to whole KiB.
wanted() {
    jq -c --arg k "$1" '.[$k] | [.ost_count, .ost_avg_full_kib, .ost_most_full_pct,
        .ost_most_full_name, .ost_least_full_pct, .ost_least_full_name,
        .ost_avg_overloaded_overload_factor, .ost_overloaded_oss_count,
        .ost_overloaded_ost_count] | map(if type == "number" then . * 1e6 | round else . end)' \
        "$expected/lfsstatus.json"
}
got() {
    {
        baro health show --at "@$1" -o json "$full"
        baro health show --at "@$2" -o json "$map"
    } | jq -sc --arg m "/$3" '(.[0][] | select(.mount == $m)) as $f |
        (.[1][] | select(.filesystem == $f.filesystem)) as $o |
        [$f.osts, ($f.mean_used_bytes / 1024 | floor), $f.max_full_pct,
        ($f.fullest | split("-")[1]), $f.min_full_pct, ($f.emptiest | split("-")[1]),
        $o.overload_factor, $o.overloaded_servers, $o.overloaded_osts]
        | map(if type == "number" then . * 1e6 | round else . end)'
}
for mount in scratch1 scratch2 scratch3; do
    for at in 1489998203 1490000867 1490050000; do
        is "$mount at $at" "$(got $at $at $mount)" "$(wanted $at/$mount)"
    done
    # It loses the last sample of each file: what it says of 1490081107 is one older.
    is "$mount at 1490081107: its answer is that of the sample before" \
        "$(got 1490081106 1490081107 $mount)" "$(wanted 1490081107/$mount)"
done
is "the last sample of the file is there" \
    "$(baro health show --at @1490081107 -o json "$full" | jq -c '[.[].space_age_s] | unique')" "[0]"
is "28 hours after the last there is none, where the other took the first" \
    "$(baro health show --at @1490100000 "$map" 2>&1)" "baro health show: $map: the last sample \
before 2017-03-21T12:40:00Z is of 2017-03-21T07:25:08Z: 18892 s older, over the limit of 3600 s"
failovers() {
    for at in $(jq -r 'keys[] | tonumber' "$expected/ost_map_failovers.json"); do
        baro health show --at "@$at" -o json "$map" | jq -c --arg t "$at" \
            '[.[] | [$t, .filesystem, .osts_per_server, .overloaded_servers, .overloaded_osts,
                .relieved_servers]] | sort'
    done
}
is "69 samples of servers: as many failovers" "$(failovers)" "$(jq -c 'to_entries[] | .key as $t |
    [.value | to_entries[] | select(.value.mode) | [$t, .key, .value.mode,
        (.value.abnormal_ips | length), ([.value.abnormal_ips[] | length] | add // 0), 0]] | sort' \
    "$expected/ost_map_failovers.json")"
is "the 70th sample is there too" \
    "$(baro health show --at @1490081108 -o json "$map" | jq -c '[.[].server_age_s] | unique')" "[0]"
for text in lfs-df.txt.gz lctl-dl-t.txt.gz; do
    ok "$text" baro health show "$inputs/$text"
done
finish
