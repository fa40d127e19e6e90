#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro job show --follow: the page of a job that runs, again and again, until its end is
# reported; on a terminal of 80x24 in place, redirected a line or a document a refresh; from a
# barod and from its database.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl python3
cd "$SCRATCH" || exit 1
barod_conf cpu_load
ok "barod starts" start_barod
show() { baro job show --server "$server" "$@"; }

now=$(date +%s)
start=$((now - 3000))
job() { # ID STATE END
    printf 'JobID|Cluster|State|Start|End|NNodes|NodeList|User\n%s|nova|%s|%s|%s|4|c[1-4]|ann\n' \
        "$1" "$2" "$start" "$3" | baro job import --server "$server" - 2>&1
}
awk -v start="$start" -v now="$now" 'BEGIN { for (t = start; t < now; t += 60) for (n = 1; n <= 4; n++)
    printf "cpu_load,cluster=nova,hostname=c%d,type=node value=%g %d\n", n, n == 4 ? 0.1 : 70, t }' >metrics.lp
is "metrics are stored" "$(curl -s -o out -w '%{http_code}' --unix-socket sock --data-binary @metrics.lp \
    'http://x/api/write?cluster=nova'; cat out)" 200
ok "two jobs run" job 7 RUNNING Unknown
job 8 RUNNING Unknown >out

baro job show --server "$server" --follow --interval 300ms 7 >lines 2>errors &
follower=$!
baro job show --server "$server" --follow --interval 300ms -o json nova/7 >documents 2>>errors &
json_follower=$!
baro job show --records records.db --follow --interval 300ms 7 >stored 2>>errors &
records_follower=$!
at_exit 'kill $follower $json_follower $records_follower'
has_lines() { # COUNT FILE
    [ "$(wc -l <"$2")" -ge "$1" ]
}
for file in lines documents stored; do
    ok "$file: there are three refreshes" wait_for 20 has_lines 3 "$file"
done

is "a line has its time and the sentence, of now" \
    "$(head -n 3 lines | grep -c '^[-0-9]*T[:0-9]*Z  c4 did nothing from .*; so far')" 3
is "a document is of a job without an end" "$(head -n 3 documents | jq -c '[.job.id, .job.end]' | sort -u)" '["7",null]'
is "without metrics only that it runs is known" \
    "$(head -n 3 stored | grep -c "Only the batch system's record is known of it")" 3

screens=$TOP/tests/sim/screens.py
$screens -f 80 24 baro job show --server "$server" --follow 8 >screen 2>err
is "on a terminal the page is drawn within 80x24" "$?$(cat err)" 0
is "first the time, then who, when, and what matters most" \
    "$(sed -n '3p; 4s/ on c.*//p; 5s/ from.*//p' screen | tr -d '\r')" \
    "Job 8 on nova, user ann, RUNNING
Ran from $(date -u -d "@$start" +%FT%TZ), it has not ended
c4 did nothing"
kill -0 $follower && job 7 COMPLETED "$((now - 60))" >out
wait $follower
is "the end of the job ends it" "$?" 0
wait $json_follower
is "so it does with JSON" "$?" 0
wait $records_follower
is "and of a database" "$?" 0
is "the last page is that of the job, whole" "$(grep -v '^[-0-9]*T[:0-9]*Z  ' lines)" "$(show 7)"
is "so is the last document, after those before" \
    "$(tail -n 1 documents | cksum) $(jq -c .job.end <documents | sort | uniq -c | wc -l)" "$(show -o json 7 | cksum) 2"
is "and the page of the database" "$(grep -v '^[-0-9]*T[:0-9]*Z  ' stored)" "$(baro job show --records records.db 7)"
is "nothing is on standard error" "$(cat errors)" ""
is "of a job that has ended there is its page" "$(show --follow 7 | cksum)" "$(show 7 | cksum)"

# A barod that is away for a while ends nothing.
baro job show --server "$server" --follow --interval 300ms 8 >lines 2>errors &
follower=$!
ok "a follower begins" wait_for 20 has_lines 1 lines
end_barod
has_trouble() { grep -q 'tried again later' errors; }
ok "that the barod is away is reported" wait_for 20 has_trouble
ok "barod starts again" start_barod
before=$(wc -l <lines)
ok "then it goes on" wait_for 20 has_lines $((before + 1)) lines
kill -TERM $follower
wait $follower
is "a signal ends it" "$?" 0
is "without a last page" "$(grep -vc '^[-0-9]*T[:0-9]*Z  ' lines)" 0

while read -r want args; do
    # shellcheck disable=SC2086 # words
    is "refused: $args" "$(show $args 2>&1 | grep -c -- "$want") $(show $args >out 2>&1; echo $?)" "1 2"
done <<'END'
choose.text.or.json --follow -o html 7
is.a.log --follow run.darshan
needs.--follow --interval 1s 7
without.--output --follow --comment js1 7
END
finish
