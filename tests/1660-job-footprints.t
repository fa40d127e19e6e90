#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Footprints of jobs: mean, min, max and sum of the metrics of a job's nodes are stored when it
# has ended, also where barod was killed before; they stand on the page when the samples are no
# longer in memory, in the list of jobs and in REST.
. "$(dirname "$0")/lib.sh"
requires curl jq sqlite3
cd "$SCRATCH" || exit 1
server=unix:$SCRATCH/sock
export BARO_SERVER="$server"
cat >barod.conf <<'END'
[barod]
footprints = known,mine
footprint_delay = 0s
[metric cpu_load]
step = 1m
[metric node_power]
step = 1m
unit = W
aggregation = sum
[metric mine]
step = 1m
unit = B
kind = counter
[metric other]
step = 1m
[metric mem_used]
step = 1m
END
serve() { # STORE OPTION...
    store=$1
    shift
    barod --config barod.conf --set "records.path=$SCRATCH/r.db" --set "net.socket=$SCRATCH/sock" \
        --set "store.directory=$SCRATCH/$store" --set store.own_metrics=0s --set net.listen=none "$@" 2>>barod.log &
    barod=$!
    wait_for 20 baro stats
}
at_exit 'kill $barod; wait $barod'
list() {
    { echo 'JobID|JobIDRaw|User|Cluster|State|Start|End|NNodes|NodeList'; cat; } >jobs.txt
    baro job import --server "$server" jobs.txt 2>&1
}
rows() { # ID: metric, nodes, observed, covered, mean, min, max, sum
    sqlite3 r.db "select metric, nodes, observed, round(covered, 3), mean, min, max, sum from job_footprints
        where id = '$1' order by start_ns, metric"
}
has_rows() { # ID COUNT
    [ "$(rows "$1" | wc -l)" = "$2" ]
}
get() { curl -s --unix-socket sock "http://x$1"; }

serve store
# Whole minutes; n1 and n2 all the time, of power n2 has each second minute, and n3 nothing.
now=$(($(date +%s) / 60 * 60)) begin=$(($(date +%s) / 60 * 60 - 6000))
awk -v begin="$begin" -v now="$now" 'BEGIN { for (t = begin; t <= now; t += 60) for (n = 1; n <= 2; n++) {
        i = (t - begin) / 60
        printf "cpu_load,cluster=nova,hostname=n%d,type=node value=%d %d\n", n, i + 100 * n, t
        if (n == 1 || i % 2 == 0) printf "node_power,cluster=nova,hostname=n%d,type=node value=%d %d\n", n, 50 * n, t
        printf "mine,cluster=nova,hostname=n%d,type=node value=%d %d\n", n, i * 600 * n, t
        printf "other,cluster=nova,hostname=n%d,type=node value=1 %d\n", n, t } }' >metrics.lp
is "metrics are stored" "$(curl -s -o out -w '%{http_code}' --unix-socket sock --data-binary @metrics.lp http://x/api/write; cat out)" 200
run7="7|7|ann|nova|RUNNING|$((begin + 600))|Unknown|2|n[1-2]"
echo "$run7" | list >/dev/null
end=$((begin + 1200))
list >/dev/null <<END
7|7|ann|nova|COMPLETED|$((begin + 600))|$end|2|n[1-2]
8|8|bob|nova|COMPLETED|$((begin + 600))|$end|2|n[2-3]
9|9|bob|nova|COMPLETED|$((begin + 60))|$((begin + 120))|1|gone
END
ok "a job that ended has its footprint" wait_for 20 has_rows 7 5
is "its nodes, and what of the time is covered" "$(rows 7 | head -n 1)" "|2|2|1.0||||"
is "a gauge of the samples of its time alone" "$(rows 7 | grep cpu_load)" "cpu_load|2|2|1.0|164.5|110.0|219.0|"
is "a metric that nobody sent is null" "$(rows 7 | grep mem_used)" "mem_used|2|0|0.0||||"
is "a counter as its rate" "$(rows 7 | grep mine)" "mine|2|2|1.0|15.0|10.0|20.0|"
is "a metric that is added has the sum of the nodes, with gaps what was seen" \
    "$(rows 7 | grep node_power | cut -d '|' -f 1-4,6-)" "node_power|2|2|0.75|50.0|100.0|150.0"
is "what is not listed has none" "$(rows 7 | grep -c other)" 0
ok "a job with a node that nobody observed" wait_for 20 has_rows 8 5
is "says so, and has no sum" "$(rows 8 | grep node_power | cut -d '|' -f 1-4,8)" "node_power|2|1|0.25|"
ok "a job whose nodes are not in the store" wait_for 20 has_rows 9 1
is "is done with one row" "$(rows 9)" "|1|0|0.0||||"
is "each once" "$(get /metrics | grep -E '^baro_jobs_footprints(_unobserved)?_total' | awk '{ print $2 }' | tr '\n' ' ')" "3 1 "

# An end that is corrected later, and a job that ended while no footprints were made.
kill -9 $barod
wait $barod 2>/dev/null
serve store --set barod.footprints=none
list >/dev/null <<END
7|7|ann|nova|COMPLETED|$((begin + 600))|$((end + 60))|2|n[1-2]
10|10|ann|nova|FAILED|$((begin + 60))|$((begin + 660))|1|n1
END
sleep 3
is "none is made where none is wanted" "$(rows 10 | wc -l)" 0
kill -9 $barod
wait $barod 2>/dev/null
serve store
ok "after kill -9 it goes on with what is missing" wait_for 20 has_rows 10 5
is "of its time" "$(rows 10 | grep cpu_load)" "cpu_load|1|1|1.0|105.5|101.0|110.0|"
has_new_end() { [ "$(rows 7 | grep cpu_load)" = "cpu_load|2|2|1.0|165.0|110.0|220.0|" ]; }
ok "an end that was corrected gives new numbers" wait_for 20 has_new_end
is "with samples in memory the page has these" \
    "$(baro job show 7 -o json | jq -c '[.nodes.observed, .footprint.observed]')" '[2,2]'
ok "and none of the stored ones" sh -c "! baro job show 7 | grep -q 'as stored when the job ended'"

# The samples are gone: another store.
kill $barod
wait $barod
serve empty
baro job show 7 >page
ok "then the page has what was stored" grep -q '^    cpu_load         165 (110 to 220)$' page
ok "and says so" grep -q 'as stored when the job ended: the samples are no longer in memory' page
ok "with what was not observed" grep -q '^    mem_used         not observed$' page
ok "and how much of the time a number is of" grep -q '^    node_power  .*; of 7[0-9.]* % of the time$' page
ok "it is among what is known" grep -q "^Known of it: .*its nodes' footprint, stored when it ended" page
is "as JSON" "$(baro job show 7 -o json | jq -c '[.nodes, .footprint.nodes, (.footprint.metrics[] | select(.name == "cpu_load") | .mean, .sum)]')" \
    '[null,2,165,null]'
get /v1/jobs/7/page | tr -d '\n' >page.html
ok "as HTML" grep -q "as stored when the job ended.*<th>cpu_load</th><td class=.num.>165</td>" page.html
is "of the database alone the same" "$(baro job show --records r.db 7 -o json | jq -c .footprint)" \
    "$(baro job show 7 -o json | jq -c .footprint)"
sqlite3 r.db "vacuum into 'old.db'"
sqlite3 old.db 'drop view job_footprints; drop table job_footprint_rows; update schema_version set version = 9'
is "a database of before there were footprints has its page" \
    "$(baro job show --records old.db -o json 7 | jq -c '[.job.id, .footprint]')" '["7",null]'

# In the list.
columns='cpu_load,node_power:max,node_power:sum,mem_used'
pick='[.[] | [.job, .cpu_load, .node_power_max, .node_power_sum, .mem_used]]'
baro job list --footprint "$columns" --worst cpu_load -o json 2>/dev/null >listed
is "the worst first, what is not known last" "$(jq -c "$pick" listed)" \
    '[["10",105.5,50,50,null],["7",165,100,150,null],["8",214.5,100,null,null],["9",null,null,null,null]]'
is "most first of a maximum" "$(baro job list --footprint "$columns" --worst node_power:max --limit 2 -o json 2>/dev/null | jq -c '[.[].job] | sort')" '["7","8"]'
is "by REST byte for byte" "$(get "/v1/jobs?footprint=$columns&worst=cpu_load&format=json" | cksum)" "$(cksum <listed)"
is "without an order the newest first" "$(baro job list --footprint cpu_load --user ann -o json 2>/dev/null | jq -c '[.[] | [.job, .covered]]')" \
    '[["7",100],["10",100]]'
is "a table" "$(get '/v1/jobs?footprint=node_power' | jq -c '[.columns[] | select(.name == "node_power" or .name == "covered") | .unit]')" '["%","W"]'
is "of no run there is no row" "$(baro job list --footprint cpu_load --user nobody -o json 2>/dev/null | tr -d '\n')" '[]'
for query in 'footprint=' 'footprint=a:most' 'footprint=a&worst=b' 'footprint=a&format=lines' 'footprint=a&worst=a&tasks=true' \
    'footprint=a,b,c,d,e,f,g,h,i'; do
    is "$query is refused" "$(curl -s -o said -w '%{http_code}' --unix-socket sock "http://x/v1/jobs?$query")" 400
done
baro job list --footprint a --worst cpu >out 2>said
is "another order is misuse" "$? $(grep -c 'choose one of its columns: a' said)" "2 1"
baro job list --footprint a jobs.txt >out 2>said
is "a file has none" "$? $(grep -c 'footprints are stored by a barod' said)" "1 1"

# What is deleted with the jobs, and copied with them.
is "a copy has them" "$(baro records copy --from r.db --to copy.db >/dev/null 2>&1; sqlite3 copy.db 'select count(*), sum(mean) from job_footprints')" \
    "$(sqlite3 r.db 'select count(*), sum(mean) from job_footprints')"
finish
