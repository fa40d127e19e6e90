#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro jobstats parse: its forms, its faults, its exit status.
. "$(dirname "$0")/lib.sh"
requires jq gzip zstd
cd "$SCRATCH" || exit 1

cat >dump <<'END'
obdfilter.scratch-OST0001.job_stats=
job_stats:
- job_id:          11317854:17627127:r01c01
  snapshot_time:   1669010520
  read:            { samples:        7754, unit: usecs, min:       1, max:       2, sum:               3, sumsq:                  4 }
  write:           { samples:        4284, unit: usecs, min:       1, max:       2, sum:               3, sumsq:                  4 }
END
cat >seed <<'END'
[
{
  "target": "scratch-OST0001",
  "entry_id": "11317854:17627127:r01c01",
  "timestamp": "2022-11-21T06:02:00.000+00:00",
  "snapshot_time": 1669010520,
  "read": 7754,
  "write": 4284
}
]
END
is "the flat form is the example of the design, to the letter" \
    "$(baro jobstats parse --output seed dump)" "$(cat seed)"
is "with the time told" \
    "$(baro jobstats parse --output seed --timestamp 2022-11-21T06:02:00Z <dump)" "$(cat seed)"
sed 's/1669010520/1669010519.5 secs.nsecs/' dump >early
is "an observation is not before its snapshot" \
    "$(baro jobstats parse -o seed early | jq -c '.[0] | [.timestamp, .snapshot_time]')" \
    '["2022-11-21T06:02:00.000+00:00",1669010519.5]'

cat >many <<'END'
health_check=healthy
mdt.scratch-MDT0000.job_stats=
job_stats:
- job_id:          "11317854:17627127:r01c01"
  snapshot_time:   1723114647.887515895 secs.nsecs
  start_time:      1723114600.000000001 secs.nsecs
  elapsed_time:    47.887515894 secs.nsecs
  open:            { samples:           1, unit: usecs, min:      302, max:      302, sum:              302, sumsq:              91204 }
  write_bytes:     { samples:18446744073709551615, unit: bytes, min:       1, max:16777216, sum:18446744073709551615, sumsq: 18446744073709551615, hist: { 32K: 1, 1M: 5 } }
  newop:           { samples:           2, unit: furlongs, sum: 9 }
- job_id:          "a\x0Ab?.5"
  snapshot_time:   1723114647.5 secs.nsecs
- job_id:
  open:            { samples:           1, unit:  reqs }
obdfilter.scratch-OST0001.job_stats=
job_stats:
- job_id:          :5:r01
  snapshot_time:   soon
  open:            { samples: -1 }
nonsense
END
cat >want <<'END'
{"target":"scratch-MDT0000","entry_id":"11317854:17627127:r01c01","job_id":"11317854","user_id":17627127,"group_id":null,"nodename":"r01c01","executable":null,"flags":[],"snapshot_time":1723114647.887515895,"start_time":1723114600.000000001,"elapsed_time":47.887515894,"ops":{"open":{"samples":1,"unit":"usecs","min":302,"max":302,"sum":302,"sumsq":91204},"write_bytes":{"samples":18446744073709551615,"unit":"bytes","min":1,"max":16777216,"sum":18446744073709551615,"sumsq":18446744073709551615,"hist":{"32K":1,"1M":5}},"newop":{"samples":2,"unit":"furlongs","sum":9}}}
{"target":"scratch-MDT0000","entry_id":"a\\x0Ab?.5","job_id":null,"user_id":5,"group_id":null,"nodename":null,"executable":"a\\x0Ab?","flags":[],"snapshot_time":1723114647.500000000,"start_time":null,"elapsed_time":null,"ops":{}}
{"target":"scratch-OST0001","entry_id":":5:r01","job_id":null,"user_id":5,"group_id":null,"nodename":"r01","executable":null,"flags":["missing_job"],"snapshot_time":null,"start_time":null,"elapsed_time":null,"ops":{}}
END
is "one JSON object an entry, numbers of 64 bits whole" \
    "$(baro jobstats parse many 2>faults)" "$(cat want)"
is "each loss is named with file, line, kind and text" "$(cat faults)" "\
many:13: bad_id: - job_id:
many:18: bad_time:   snapshot_time:   soon
many:19: bad_op:   open:            { samples: -1 }
many:20: line_stray: nonsense"
is "counts" "$(baro jobstats parse -o none many 2>/dev/null | grep -v seconds | tr '\n' ' ')" \
    "entries 3 dropped 1 bytes $(wc -c <many) lines 20 targets 2 other_lines 1 boot_time 0 line_too_long 0 line_stray 1 bad_op 1 bad_time 1 bad_id 1 too_many_ops 0 entry_cut 0 "
is "CSV has a row an operation" "$(baro jobstats parse -o csv many 2>/dev/null | wc -l)" 6
is "a table has a row an entry" "$(baro jobstats parse -o table many 2>/dev/null | wc -l)" 4
is "formats are tried in the given order" \
    "$(baro jobstats parse -f '%j' -f '%e.%u' many 2>/dev/null | jq -c '.job_id' | tr '\n' ' ')" \
    '"11317854:17627127:r01c01" null ":5:r01" '

i=1
echo obdfilter.scratch-OST0001.job_stats= >nonsense
while [ $i -le 30 ]; do
    echo nonsense
    i=$((i + 1))
done >>nonsense
baro jobstats parse -o none nonsense 2>few >/dev/null
is "ten losses of a kind are named, then that there are more" "$(wc -l <few)" 11
baro jobstats parse --faults -o none nonsense 2>all >/dev/null
is "--faults names all" "$(wc -l <all)" 30

gzip -c many >many.gz
zstd -q -c many >many.zst
is "gzip" "$(baro jobstats parse many.gz 2>/dev/null)" "$(cat want)"
is "zstd" "$(baro jobstats parse <many.zst 2>/dev/null)" "$(cat want)"
cat many.gz many.gz >twice.gz
is "two members of gzip" "$(baro jobstats parse twice.gz 2>/dev/null | wc -l)" 6
head -c 200 many.gz >cut.gz
ok "compressed data that are cut fail" not baro jobstats parse cut.gz
head -c 100 many.zst >cut.zst
ok "likewise zstd" not baro jobstats parse cut.zst

mkdir -p proc/obdfilter/work-OST0007
tail -n 4 dump >proc/obdfilter/work-OST0007/job_stats
is "a file's path tells its target" \
    "$(baro jobstats parse proc/obdfilter/work-OST0007/job_stats | jq -r .target)" work-OST0007
is "--target tells it" \
    "$(tail -n 4 dump | baro jobstats parse --target work-OST0008 | jq -r .target)" work-OST0008
is "nobody tells it" "$(tail -n 4 dump | baro jobstats parse - | jq -r .target)" null
is "several files" "$(baro jobstats parse dump many 2>/dev/null | wc -l)" 4

status() {
    "$@" >/dev/null 2>&1
    echo $?
}
is "losses are no failure" "$(status baro jobstats parse many)" 0
is "a missing file is one" "$(status baro jobstats parse missing)" 1
is "the other files are read all the same" "$(baro jobstats parse missing dump 2>/dev/null | wc -l)" 1
is "an unknown form is misuse" "$(status baro jobstats parse -o yaml dump)" 2
is "a format that cannot be is misuse" "$(status baro jobstats parse -f %x dump)" 2
is "a time that is none is misuse" "$(status baro jobstats parse --timestamp soon dump)" 2
ok "a full disk is noticed" sh -c '! baro jobstats parse dump >/dev/full'

# Every form that our own printer knows is read without a loss, and says the same ids.
gen=$BUILD/bench/jobstats_gen
if [ -x "$gen" ]; then
    want=$("$gen" 2.12 ost 60 | baro jobstats parse | jq -r .entry_id | md5sum)
    for form in 2.5 2.8 2.12 2.14 2.15.0 2.15.8 2.16.1 2.17.0; do
        for kind in mdt ost; do
            "$gen" $form $kind 60 >gen.$form.$kind
            is "$form, $kind: entries and losses" \
                "$(baro jobstats parse -o none gen.$form.$kind | awk '
                    $1 == "entries" { n = $2 } $1 == "dropped" { sum += $2 }
                    /^seconds/ { on = 1; next } on { sum += $2 } END { print n, sum }')" "60 0"
        done
        # The same numbers, taken out by patterns that know nothing of our parser.
        cat gen.$form.mdt gen.$form.ost | awk '
            function after(key) {
                if (!match($0, key ": *[0-9]+")) return "-"
                value = substr($0, RSTART, RLENGTH)
                sub(/.*: */, "", value)
                return value
            }
            / samples:/ { name = $1; sub(/:$/, "", name)
                print name, after("samples"), after(" min"), after(" max"), after(" sum"), after("sumsq") }
        ' >theirs
        baro jobstats parse gen.$form.mdt gen.$form.ost | jq -r '.ops | to_entries[] |
            [.key, .value.samples, .value.min, .value.max, .value.sum, .value.sumsq]
            | map(if . == null then "-" else tostring end) | join(" ")' >ours
        ok "$form: $(wc -l <theirs) operations have their numbers" cmp theirs ours
        is "$form: the identifiers are those of 2.12" \
            "$(baro jobstats parse gen.$form.ost | jq -r .entry_id | md5sum)" "$want"
    done
else
    skip "our own dumps" "the generator is not built"
fi

# Memory does not grow with the text.
if [ -x "$gen" ] && [ -x /usr/bin/time ]; then
    "$gen" 2.12 ost 20000 >big
    rss=$(/usr/bin/time -f %M baro jobstats parse -o none big 2>&1 >/dev/null | tail -n 1)
    small=$(/usr/bin/time -f %M baro jobstats parse -o none dump 2>&1 >/dev/null | tail -n 1)
    ok "17 MB of text take no more memory than 1 kB ($rss kB, $small kB)" \
        [ "$rss" -lt $((small + 4000)) ]
else
    skip "memory does not grow with the text" "no time program or no generator"
fi
finish
