#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# GET /v1/weather and /v1/climate: the same JSON, byte for byte, as baro weather and baro
# climate show have of the same barod, because both come from the same code.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl jq python3
log_make=$BUILD/src/source/darshan/darshan_make
[ -x "$log_make" ] || skip_all "built without tests"
cd "$SCRATCH" || exit 1

end=1500000000 # 02:40 of 2017-07-14
# In place: barod has it mapped.
: >clock
set_clock() {
    python3 -c "import struct
open('clock', 'r+b').write(b'baroclk1' + struct.pack('=q', $1 * 10**9))"
}
set_clock $end
BARO_CLOCK=$SCRATCH/clock
export BARO_CLOCK
barod_conf
printf '[barod]\nclimate_map = %s\n' "$TOP/etc/studies/jobs.conf" >>barod.conf
BARO_SERVER=$server
export BARO_SERVER
ok "barod starts" start_barod

rest() { # PATH: prints its body, on descriptor 3 its status
    curl -s -o body -w '%{http_code}' --unix-socket "$socket" "http://x$1" >status
    cat body
}
is "of a barod that has nothing it is 404, and says what is missing" \
    "$(rest /v1/weather | jq -r '.status, .detail' | xargs)" \
    "404 the server has neither totals nor rows of any time"
is "of one without summaries, too" "$(rest /v1/climate | jq -r '.status, .detail' | xargs)" \
    "404 the tables have no rows"

# Twelve days of two hours each, a reading a minute: OST0001 writes twice as much as OST0000;
# on the last day ten times as much is written; on one day nothing was read of servers.
python3 - $end >lines <<'END'
import sys
end = int(sys.argv[1])
count = dict.fromkeys(["read_bytes", "write_bytes", "open_samples"], 0)
for day in range(12, -1, -1):
    for t in range(end - day * 86400 - 7200, end - day * 86400, 60):
        if day == 5:
            continue
        much = 10 if day == 0 else 1
        count["read_bytes"] += 4096 * (1 + t // 60 % 7)
        count["write_bytes"] += 1048576 * much + day * 1000
        count["open_samples"] += 3
        for ost in (0, 1):
            for name in ("read_bytes", "write_bytes"):
                print(f"lustre_{name},cluster=scratch,hostname=oss0{ost},type=ost,"
                      f"type-id=scratch-OST000{ost} value={count[name] * (ost + 1)} {t}")
            print(f"lustre_capacity_bytes,cluster=scratch,hostname=oss0{ost},type=ost,"
                  f"type-id=scratch-OST000{ost} value=1e12 {t}")
        print(f"lustre_open_samples,cluster=scratch,hostname=mds01,type=mdt,"
              f"type-id=scratch-MDT0000 value={count['open_samples']} {t}")
        print(f"server_cpu_busy,cluster=scratch,hostname=mds01 value={t // 60 % 50} {t}")
END
is "two weeks of servers' totals are sent" \
    "$(curl -s -o sent -w '%{http_code}' --unix-socket "$socket" --data-binary @lines \
        "http://x/api/write")" 200
# At two times: full, then fuller and at another server.
for reading in "1499997000 300 oss01" "1499999400 950 oss02"; do
    # shellcheck disable=SC2086 # three words
    set -- $reading
    set_clock "$1"
    printf '#!/bin/sh\necho "scratch-OST0000_UUID 1000 %s %s 1%% /scratch[OST:0]"\n' "$2" $((1000 - $2)) >lfs
    printf '#!/bin/sh\necho "  4 UP osc scratch-OST0000-osc-ffff88 8dbd 5 %s@tcp"\n' "$3" >lctl
    chmod +x lfs lctl
    ok "a reading of targets is sent" env PATH="$SCRATCH:$PATH" \
        baro health record --dir health --server "$server"
done
set_clock $end

weather() { baro weather "$@" --output json 2>err; }
same() { # WHAT, QUERY, OPTION...
    same_what=$1 same_query=$2
    shift 2
    weather "$@" >ours
    rest "/v1/weather?$same_query" >theirs
    is "$same_what: 200" "$(cat status)" 200
    ok "$same_what: the same bytes" cmp ours theirs
}
same "two hours against twelve days" "last=2h&against=12d" --last 2h --against 12d
is "and it is what was planted" "$(jq -c '.usual[] | select(.measure == "datatargets/writebytes") |
    [.verdict, .other_days]' theirs)" '["more",11]'
is "with the health of its targets" "$(jq -c '[.fullness[0].target, .moves[0].to]' theirs)" \
    '["scratch-OST0000","oss02@tcp"]'
same "a window by its times" "from=@$((end - 3600))&to=@$end" "@$((end - 3600))" "@$end"
same "one file system, and one row" "fs=scratch&top=1&last=1h" -F scratch -n 1 --last 1h
same "a time of which nothing is known" "from=@1000000&to=@1003600" @1000000 @1003600
same "the default is twelve hours" "" --last 12h
is "a page for people, too" "$(rest '/v1/weather?last=2h&against=12d&format=text' | sed -n 1p)" \
    "$(baro weather --last 2h --against 12d 2>err | sed -n 1p)"
is "a file system that is not there" "$(rest '/v1/weather?fs=home' | jq -r '.status, .detail' | xargs)" \
    "404 the server has no target of a file system home"
for bad in against=401d against=0s top=0 last=-1h format=csv from=later; do
    is "$bad: 400, and the parameter is named" \
        "$(rest "/v1/weather?$bad" | jq -r '.status, (.detail | split(":")[0])' | xargs)" "400 ${bad%=*}"
done
is "a window ends after it begins" "$(rest '/v1/weather?from=@20&to=@10' | jq -r .detail)" \
    "from: is not before to"

# ---- runs ----
"$log_make" 341 little zlib >job.darshan
baro job summarize -o json job.darshan 2>err |
    jq -c '.[0] as $s | range(40) | . as $i | $s + {_cluster: "big", _jobid: "\(1000 + $i)", _log: "\($i).darshan",
        darshan_start_time: ($s.darshan_start_time - 86400 * (39 - $i)),
        darshan_end_time: ($s.darshan_end_time - 86400 * (39 - $i)),
        darshan_tot_bytes_written_posix: 4194304,
        darshan_agg_perf_by_slowest_posix: (if $i == 39 then 10 else 100 + $i end)}' >summaries
is "forty summaries are stored" "$(curl -s --unix-socket "$socket" --data-binary @summaries \
    -H 'Content-Type: application/x-ndjson' http://x/v1/summaries | tee refused | jq .accepted)" 40
climate() { # WHAT, QUERY, OPTION...
    climate_what=$1 climate_query=$2
    shift 2
    baro climate show --map "$TOP/etc/studies/jobs.conf" barod "$@" --output json >ours 2>err
    rest "/v1/climate?$climate_query" >theirs
    is "$climate_what: 200" "$(cat status)" 200
    ok "$climate_what: the same bytes" cmp ours theirs
}
climate "the climate of all runs" ""
is "and the last run is the slowest" "$(jq -r '.last[0] | [.run, .slower_share // .rank // ""] | @csv' theirs | cut -d, -f1)" '"1039"'
climate "three last runs, a short window" "last=3&window=7d&window_runs=5" \
    --last 3 --window 7d --window-runs 5
climate "one class" "class=*" --class '*'
for bad in last=0 window=0s window_runs=99999999 class=; do
    is "$bad: 400, and the parameter is named" \
        "$(rest "/v1/climate?$bad" | jq -r '.status, (.detail | split(":")[0])' | xargs)" "400 ${bad%=*}"
done
ok "barod ends" end_barod
finish
