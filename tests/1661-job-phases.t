#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The phases of a job's run and its roofline, out of metrics that a barod stores: on the
# page of text, as JSON and as HTML, the same over REST.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl
cd "$SCRATCH" || exit 1

barod_conf cpu_load flops_any:GF/s mem_bw:GB/s net_bw:MB/s lustre_read_bw:MB/s
cat >>barod.conf <<'END'
[barod]
footprints = none
[subcluster new]
cluster = nova
nodes = c[01-08]
flops = 2TF/s
memory_bandwidth = 200GB/s
END
ok "barod starts" start_barod
get() { curl -s --unix-socket "$SCRATCH/sock" "http://x$1"; }
show() { baro job show --server "$server" "$@"; }

# Two hours on eight nodes: 15 minutes of reading, then computing, then ten minutes idle.
# Job 602 computes all the time, on nodes of which one has no peak.  603 has one sample.
now=$(date +%s)
start=$(((now - 8000) / 60 * 60)) end=$(((now - 8000) / 60 * 60 + 7200))
cat >sacct.txt <<END
JobID|Cluster|State|Start|End|NNodes|NodeList|User|Account
601|nova|COMPLETED|$start|$end|8|c[01-08]|ann|physics
602|nova|COMPLETED|$start|$end|2|c08,d01|bob|physics
603|nova|COMPLETED|$((start - 60))|$((start - 1))|1|c01|bob|physics
END
awk -v start="$start" -v end="$end" 'function put(name, value) {
        printf "%s,cluster=nova,hostname=%s,type=node value=%g %d\n", name, node, value * (0.97 + 0.06 * rand()), t }
    BEGIN { srand(1)
        for (t = start; t < end; t += 60) for (n = 1; n <= 9; n++) {
            node = n == 9 ? "d01" : sprintf("c%02d", n)
            act = n > 7 ? 1 : t < start + 900 ? 0 : t < end - 600 ? 1 : 2
            put("cpu_load", act == 0 ? 9 : act == 1 ? 72 : 0.1)
            put("flops_any", act == 0 ? 1 : act == 1 ? 400 : 0.01)
            put("mem_bw", act == 0 ? 5 : act == 1 ? 100 : 0.2)
            put("net_bw", act == 0 ? 900 : act == 1 ? 20 : 0.1)
            put("lustre_read_bw", act == 0 ? 800 : 0.01)
        }
        t = start - 60; node = "c01"; put("cpu_load", 72); put("flops_any", 400) }' >metrics.lp
is "metrics are stored" "$(curl -s -o out -w '%{http_code}' --unix-socket sock --data-binary @metrics.lp \
    'http://x/api/write?cluster=nova'; cat out)" 200
is "jobs are known" "$(baro job import --server "$server" sacct.txt 2>&1)" \
    "baro job import: 3 new, 0 changed, 0 known, 0 refused"

show 601 >page
show 601 -o json >page.json
# Windows are of 90 seconds.
is "the run has the phases that were played" \
    "$(jq -c '.nodes.phases | map([(.after_s / 300 | round), (.length_s / 300 | round), .acts])' page.json)" \
    '[[0,3,["uses-network","reads"]],[3,19,["computes"]],[22,2,["idle"]]]'
is "their share is of the whole" "$(jq '.nodes.phases | map(.share) | add' page.json)" 1
is "with the time of day" "$(jq -r '.nodes.phases[1].from' page.json)" "$(date -u -d "@$((start + 900))" +%FT%T.000Z)"
is "what marks a phase is held against the run" \
    "$(jq -c '.nodes.phases[0].metrics | map(select(.mark) | [.name, .unit, .mark])' page.json)" \
    '[["cpu_load","","low"],["flops_any","GF/s","low"],["mem_bw","GB/s","low"],["net_bw","MB/s","high"],["lustre_read_bw","MB/s","high"]]'
grep -A 4 '^Its 3 phases' page >phases
is "the page has a line of each, and what marks it" "$(sed -n '2,3p' phases)" \
    "    1  $(date -u -d "@$start" +%FT%TZ)  +0 s to +15 min, 15 min, 12 %
       moves data over the network, reads"
ok "with values" grep -q '^       high: lustre_read_bw .* MB/s (run .* MB/s),$' phases
is "in 80 columns" "$(sed -n '/^Its 3 phases/,/^While/p' page | awk 'length > 80' | wc -l)" 0

is "the roofline has what was played" \
    "$(jq -c '.nodes.roofline.phases[1] | [(.flops_per_s / 1e10 | round), (.bytes_per_s / 1e10 | round), (.intensity | round), .bound]' page.json)" \
    '[40,10,4,"memory_bandwidth"]'
is "and the roof that is configured" \
    "$(jq -c '.nodes.roofline | [.peak_flops_per_s, .peak_bytes_per_s, .ridge, .without_peaks, (.phases[1].roof_share * 100 | round)]' page.json)" \
    '[2000000000000,200000000000,10,null,50]'
ok "the page has both" sh -c "grep -A 3 '^Its roofline' page | tr -s ' \n' ' ' | grep -q 'of the roof there, .*, which is the memory.s bandwidth'"
ok "and the point of each phase" grep -q '^    phase 2: 4.* GF/s, .* GB/s, .* flop/byte, .* % of the roof$' page

is "a run that is even is one phase" "$(show 602 -o json | jq -c '.nodes.phases | map([.share, .acts])')" '[[1,["computes"]]]'
ok "which is a sentence" sh -c "baro job show --server $server 602 | grep -q '^Its run is one phase: computes.$'"
is "a node without a peak leaves no roof" \
    "$(show 602 -o json | jq -c '.nodes.roofline | [.roof_flops_per_s, .roof_share, .without_peaks]')" '[null,null,"d01"]'
ok "and is named" sh -c "baro job show --server $server 602 | tr -s ' \n' ' ' | grep -q 'No roof: no peaks are configured of d01 '"
is "one sample is one phase, and no roofline without a bandwidth then" \
    "$(show 603 -o json | jq -c '.nodes | [(.phases | length), .roofline.text, .roofline.n, .roofline.intensity]')" \
    '[1,"None: no node has flops_any and mem_bw at the same time.",0,null]'

for id in 601 602; do
    show "$id" -o html >"$id.html"
    is "HTML of job $id is what REST serves, byte for byte" "$(cksum <"$id.html")" "$(get "/v1/jobs/$id/page" | cksum)"
done
is "the HTML page has a strip of the phases, by what nodes did" \
    "$(grep -o "<rect class='part[0-9]' x[^>]*><title>[^<]*" 601.html | sed "s/ x.*<title>/ /; s/.*class='//" | paste -sd';')" \
    "part2' moves data over the network, reads;part1' computes;part0' idle"
is "and points under a roof" "$(grep -o "class='\(roof\|dot\|star\)'" 601.html | sort | uniq -c | tr -s ' \n' ' ')" \
    " 3 class='dot' 1 class='roof' 1 class='star' "
is "without peaks there are points alone, of one phase the job's" \
    "$(grep -o "class='\(roof\|dot\|star\|part[0-9]\)' [dx]" 602.html; grep -c "class='star'" 602.html; grep -c "class='roof'" 602.html)" "1
0"

for id in 601 602 603; do
    is "JSON of job $id is what REST serves, byte for byte" \
        "$(show "$id" -o json | cksum)" "$(get "/v1/jobs/$id" | cksum)"
done
finish
