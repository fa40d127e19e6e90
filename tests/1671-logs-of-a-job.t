#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# barod finds a job's Darshan log by its id and time: its page has the log's findings, in every
# form and over REST byte for byte the same; whose a log is the record and the file's owner state;
# a hostile, huge or missing log costs that section and nothing else.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl planted_make
cd "$SCRATCH" || exit 1

planted_make "access size" 3 >planted.darshan || skip_all "the players are not built"
field() { baro darshan show planted.darshan | sed -n "s/^# $1: //p"; }
id=$(field jobid) uid=$(field uid) start=$(field start_time) end=$(field end_time)
day=logs/$(date -u -d "@$start" +%Y/%-m/%-d)
mkdir -p "$day"
log=$day/ann_a.out_id$id-77_1-2-3-4_1.darshan
barod_conf
cat >>barod.conf <<END
[darshan]
directory = $SCRATCH/logs/%Y/%m/%d
END
start_barod --set records.retention_jobs=20000d
get() { curl -s --unix-socket sock "http://x$1"; }
show() { baro job show --server "$server" "$@"; }
runs() { # UID
    printf '{"cluster":"nova","id":"%s","raw_id":"%s","user":"ann","uid":%s,"account":"physics","state":"COMPLETED","start":%s,"end":%s,"nodes":"c01"}\n' \
        "$id" "$id" "$1" "$start" "$end" |
        curl -s --unix-socket sock -H 'Content-Type: application/x-ndjson' --data-binary @- http://x/v1/jobs | jq -c '[.accepted,.changed,.refused]'
}
known() { get "/v1/jobs/$id" | jq -r '.evidence[] | select(.name == "facts") | [.is_found, .reason // .text] | join(" ")'; }

is "the job is known" "$(runs "$uid")" "[1,0,0]"
is "without a log the page says that there is none" "$(known)" "false no log has its id"
cp planted.darshan "$log"
is "with one it has it" "$(known)" "true its log"
baro job show planted.darshan -o json >of-log.json
get "/v1/jobs/$id" >served.json
is "its findings are those of the log itself" "$(jq -c '[.findings[].kind // .findings[].name]' served.json)" \
    "$(jq -c '[.findings[].kind // .findings[].name]' of-log.json)"
is "and its measures, every one" "$(jq -cS .log.measures served.json)" "$(jq -cS .measures of-log.json)"
is "JSON of the command line is that of REST, byte for byte" "$(show "$id" -o json | cksum)" "$(cksum <served.json)"
is "so is the page for a browser" "$(show "$id" -o html | cksum)" "$(get "/v1/jobs/$id/page" | cksum)"
ok "which has what was done by each interface" sh -c "curl -s --unix-socket sock http://x/v1/jobs/$id/page | grep -q POSIX"
is "values for rules of the site come from the log" "$(get "/v1/jobs/$id?format=values" | jq -c '[.processes, (.program // .executable | type)]')" '[64,"string"]'
ok "the text names the program" sh -c "baro job show --server $server $id | grep -q 'Known of it:.* its log'"
is "twice the same" "$(get "/v1/jobs/$id" | cksum)" "$(cksum <served.json)"

# Days may have two digits, and another directory may have the log.
padded=logs/$(date -u -d "@$start" +%Y/%m/%d)
[ "$padded" = "$day" ] || { mkdir -p "$padded"; mv "$log" "$padded/"; }
is "a day with two digits is found, too" "$(known)" "true its log"
[ "$padded" = "$day" ] || mv "$padded/${log##*/}" "$log"

# Whose it is.
is "the record may state another owner" "$(runs $((uid + 1)))" "[0,1,0]"
is "then the log is not the job's" "$(known)" "false logs of its id are another user's, or of another time"
is "and nothing of it is on the page" "$(get "/v1/jobs/$id" | jq -c '[.log, .facts]')" "[null,null]"
runs "$uid" >/dev/null
if [ "$(id -u)" = 0 ]; then
    chown 12345 "$log"
    is "a log that another user wrote is not the job's, whatever stands in it" "$(known)" \
        "false logs of its id are another user's, or of another time"
    chown "$uid" "$log"
    is "one of its owner is" "$(known)" "true its log"
    chown 0 "$log"
fi
ln -s "$SCRATCH/planted.darshan" "$day/ann_b_id${id}_2.darshan"
mkfifo "$day/ann_c_id${id}_3.darshan"
mkdir "$day/ann_d_id${id}_4.darshan"
is "links, pipes and directories are not opened" "$(known)" "true its log"
rm -rf "$day"/ann_[bcd]*

# Several: the longest; a summary that is stored is of one of them.
head -c 2000 planted.darshan >"$day/ann_0_id${id}_9.darshan"
is "one that is cut does not push out the whole one" "$(get "/v1/jobs/$id" | jq -c '.log.is_whole')" true
rm "$day/ann_0_id${id}_9.darshan"

# Hostile and huge.
bad() { # NAME: the log as it is now
    is "$1: the page is there" "$(curl -s -o out -w '%{http_code}' --unix-socket sock "http://x/v1/jobs/$id"; jq -r '.job.user' out)" "200ann"
    ok "$1: barod lives" curl -sf -o /dev/null --unix-socket sock http://x/healthz
}
head -c 1000000 /dev/urandom >"$log"
bad "noise"
is "which is no log" "$(known | cut -d' ' -f1)" false
truncate -s 3G "$log"
bad "3 GiB"
is "is not read" "$(known)" "false a log of it is there and not read: no permission, no regular file, or larger than bytes_max of [darshan]"
size=$(stat -c %s planted.darshan)
n=0
while [ $n -lt 40 ]; do
    n=$((n + 1))
    at=$((n * 7919 % size))
    cp planted.darshan "$log"
    printf '\377\000\377' | dd of="$log" bs=1 seek=$at conv=notrunc 2>/dev/null
    curl -s -o "flip.$n" -w '%{http_code}\n' --unix-socket sock "http://x/v1/jobs/$id"
done | sort | uniq -c >flips
is "40 damaged logs are 40 pages" "$(tr -s ' ' <flips)" " 40 200"
rm "$log"

# Bounds.
end_barod
sed -i 's/^\[darshan\]/&\nfiles_max = 100/' barod.conf
i=0
while [ $i -lt 150 ]; do : >"$day/eve_x_id1_$i.darshan"; i=$((i + 1)); done
start_barod --set records.retention_jobs=20000d
is "more names than files_max are not looked at" "$(known)" \
    "false the directories of logs have more than 100 names (files_max of [darshan])"
rm "$day"/eve*
ok "barod ends" end_barod
printf '[darshan]\ndirectory = logs/%%H\n' >bad.conf
ok "a pattern that cannot be is refused at the start" sh -c "! barod --check --config bad.conf --set records.path=$SCRATCH/check.db --set net.socket=$SCRATCH/check.sock 2>said && grep -q 'no absolute path' said"
finish
