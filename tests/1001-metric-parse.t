#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro metric parse: points, faults, forms, limits of memory.
. "$(dirname "$0")/lib.sh"
requires jq gzip
cd "$SCRATCH" || exit 1

cat >lines <<'END'
# a comment
cpu\ load,cluster=c,hostname=h\,1 value=1.50,n=4i,ok=t,s="a \"b\"" 1700000000
mem_used,hostname=h1 value=nope
mem_used,hostname=h1 value=18446744073709551615u

mem_used,hostname= value=1
END
cat >want <<'END'
{"line":2,"name":"cpu load","tags":{"cluster":"c","hostname":"h,1"},"fields":{"value":1.5,"n":4,"ok":true,"s":"a \"b\""},"t_ns":1700000000000000000}
{"line":3,"column":28,"error":"a value of no known type"}
{"line":4,"name":"mem_used","tags":{"hostname":"h1"},"fields":{"value":18446744073709551615}}
{"line":6,"column":19,"error":"a tag without a value"}
END
is "points and faults come in the order of their lines" \
    "$(baro metric parse lines)" "$(cat want)"
is "standard input will do" "$(baro metric parse <lines)" "$(cat want)"
gzip -c lines >lines.gz
is "and gzip" "$(baro metric parse lines.gz)" "$(cat want)"
is "counts only" "$(baro metric parse --output none lines | head -n 3)" "points 2
fields 5
bad_lines 2"
is "times count what they are told to count" \
    "$(echo 'm v=1 5' | baro metric parse -p ms | jq -c .t_ns)" 5000000
is "a text without an end is read to its end" \
    "$(printf 'm v=1' | baro metric parse | jq -c .fields)" '{"v":1}'

baro metric parse --output xml lines >/dev/null 2>err
is "an unknown form is misuse" "$? $(grep -c 'json, none' err)" "2 1"
baro metric parse absent >/dev/null 2>err
is "a file that is not there is a failure" "$? $(grep -c absent err)" "1 1"

i=0
while [ $i -lt 2000 ]; do
    echo "m,host=h$i v=$i.25 $((1700000000 + i))"
    i=$((i + 1))
done >many
is "lines across the pieces that are read stay whole" \
    "$(baro metric parse many | jq -s -c '[length, (map(.fields.v) | add)]')" \
    "[2000,1999500]"
awk 'BEGIN { printf "m v=\""; for (i = 0; i < 300000; i++) printf "x"; print ""; print "m v=2" }' >long
is "a quote left open for ever loses its line" \
    "$(baro metric parse long | jq -c '[.line, .column, .fields.v]')" "[1,5,null]
[2,null,2]"
finish
