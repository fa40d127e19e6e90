#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which clusters use which file system: the weather of a file system counts their jobs, and so do
# the records of probes and the pages of logs; without that rule, or a file system, all count.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl
cd "$SCRATCH" || exit 1

barod_conf
cat >>barod.conf <<'END'
[filesystem scratch]
jobid_name = %j
cluster = nova
[filesystem work]
jobid_name = %j
cluster = luna
cluster = terra
END
start=$(($(date +%s) / 60 * 60 - 7200)) end=$(($(date +%s) / 60 * 60 - 3600))
{
    echo "JobID|Cluster|State|Start|End|NNodes|NodeList|User|Account"
    n=0
    for cluster in nova nova luna terra mars; do
        n=$((n + 1))
        echo "60$n|$cluster|COMPLETED|$start|$end|$n|c0[1-$n]|ann|physics"
    done
} >sacct.txt
start_barod
ok "jobs are known" baro job import --server "$server" sacct.txt

# ---- the route ----
ids_of() { curl -s -G --unix-socket sock http://x/v1/jobs -d "from=@$start" -d "to=@$end" "$@" | jq -c '[.rows[][1]] | sort'; }
is "all of a window" "$(ids_of)" '["601","602","603","604","605"]'
is "those of clusters that use a file system" "$(ids_of -d fs=scratch) $(ids_of -d fs=work)" '["601","602"] ["603","604"]'
is "of one that no rule is about all" "$(ids_of -d fs=home)" '["601","602","603","604","605"]'
is "as lines, too" "$(curl -s -G --unix-socket sock http://x/v1/jobs -d fs=work -d format=lines | jq -r .id | sort | tr '\n' ' ')" "603 604 "
is "not with what jobs used" "$(curl -s -G --unix-socket sock http://x/v1/jobs -d fs=work -d worst=cpu | jq -r .detail)" "fs: not with worst"

# ---- the weather ----
printf '[filesystem scratch]\npath = /scratch\n[filesystem projects]\npath = /projects\nfsname = work\n' >site.conf
weather() { BARO_SERVER=$server baro weather "@$start" "@$end" --jobs barod "$@" 2>&1; }
count() { weather "$@" | sed -n 's/^\([0-9]*\) jobs* ran.*/\1/p'; }
is "the weather of a file system has the jobs of its clusters" "$(count --site site.conf -F scratch) $(count --site site.conf -F projects)" "2 2"
is "that of the site has all" "$(count)" 5

# ---- a probe, and a log ----
mkdir fs
ok "a probe runs that is no job" baro-abc --lock fs --dir fs --size 1MiB --archive made hacc
record=$(find made -name '*.json')
probe() { # MOUNT: jobs that ran meanwhile
    mkdir -p "archive$1"
    jq -c --arg mount "$1" --argjson t "$((start + 60))" '.mount = $mount | .phases[0].start = ($t | todate) | .phases[1].start = ($t + 20 | todate)
        | .phases[0].wall_s = 4 | .phases[1].wall_s = 4' "$record" >"archive$1/$(basename "$record")"
    baro job summarize -j "$server" -o json "archive$1" 2>errors | jq -c '[.[].jobsdb_concurrent_jobs] | unique'
}
is "the join of a probe counts jobs of clusters that use its file system" "$(probe /scratch) $(probe /work)" "[2] [2]"
is "and all where no rule is about it" "$(probe /lake)" "[5]"
finish
