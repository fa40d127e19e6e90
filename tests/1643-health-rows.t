#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Health as rows: what baro health record read is sent to barod, once whatever happens, and the
# page of a job finds how full its targets were and which moved, without a file; GET /v1/health
# has how it was and what changed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl python3 sqlite3
cd "$SCRATCH" || exit 1

barod_conf
cat >>barod.conf <<'END'
[filesystem scratch]
jobid_name = %j
END
get() { curl -s --unix-socket "$SCRATCH/sock" "http://x$1"; }
show() { baro job show --server "$server" "$@"; }

# oss02 serves OST0004 and OST0005 until 20 minutes after the beginning of the jobs, then oss01
# has them; OST0004 is full.  A reading every ten minutes.
now=$(($(date +%s) / 60 * 60))
start=$((now - 4200)) end=$((now - 600))
cat >sacct.txt <<END
JobID|Cluster|State|Start|End|NNodes|NodeList|User|Account
601|nova|COMPLETED|$start|$end|1|c01|ann|physics
602|nova|COMPLETED|$start|$end|1|c02|bob|physics
END
mkdir kept
python3 - "$start" "$end" <<'PYTHON'
import json, sys, time
start, end = int(sys.argv[1]), int(sys.argv[2])
day = lambda t: time.strftime("%Y-%m-%d", time.gmtime(t))
text = lambda t: time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(t))
for t in range(start - 1800 - 17, end + 600, 600):
    with open(f"kept/df-{day(t)}.txt", "a") as out:
        out.write(f"BEGIN {t}\nUUID 1K-blocks Used Available Use% Mounted on\n")
        for ost, used in ((0, 400), (4, 990), (5, 500)):
            out.write(f"scratch-OST{ost:04x}_UUID 1000 {used} {1000 - used} 0% /scratch[OST:{ost}]\n")
        out.write(f"home-OST0000_UUID 1000 10 990 1% /home[OST:0]\n")
    with open(f"kept/dl-{day(t + 2)}.txt", "a") as out:
        out.write(f"BEGIN {t + 2}\n")
        for ost in (0, 4, 5):
            server = "oss01" if ost == 0 or t >= start + 1200 else "oss02"
            out.write(f"  4 UP osc scratch-OST{ost:04x}-osc-ffff88 8dbd 5 {server}@tcp\n")
for number, (job, ost) in enumerate((("601", 4), ("602", 0))):
    since = None
    for n, t in enumerate(range(start, end, 60)):
        entry = {"entry_id": job, "exact": True, "since": since and text(since), "previous": since and text(since),
                 "reset": n == 0, "snapshot_time": t, "start_time": None,
                 "ops": {"write_bytes": {"samples": n, "unit": "bytes", "min": 4096, "max": 4194304, "sum": n * 10**9}}}
        with open(f"rows.{number}.{n:04d}.json", "w") as out:
            json.dump({"format": "baro-jobstats-1", "agent": f"00000000-0000-4000-8000-{int(job):012d}",
                       "sequence": n, "server": "oss02", "targets": [{"target": f"scratch-OST{ost:04x}",
                       "kind": "ost", "timestamp": text(t), "entries": [entry]}]}, out)
        since = t
PYTHON
cat >lfs <<'END'
#!/bin/sh
echo "UUID 1K-blocks Used Available Use% Mounted on"
for ost in 0 4 5; do echo "scratch-OST000${ost}_UUID 1000 900 100 90% /scratch[OST:$ost]"; done
END
cat >lctl <<'END'
#!/bin/sh
for ost in 0 4 5; do echo "  4 UP osc scratch-OST000$ost-osc-ffff88 8dbd 5 oss01@tcp"; done
END
chmod +x lfs lctl
record() { PATH=$SCRATCH:$PATH baro health record --dir kept "$@"; }
count() { sqlite3 records.db "select count(*) from target_readings"; }

record --server "$server" 2>said && fail "there is no barod"
is "without a barod the sample is stored, and it is reported that it was not sent" "$(grep -c 'are stored and not sent' said)" 1
start_barod
ok "the next time all is sent" record --server "$server" --not-within 1h
is "each line is a reading" "$(sqlite3 records.db 'select count(total_kib) + count(server) from target_readings')" \
    "$(cat kept/d?-*.txt | grep -c 'UP osc\|_UUID')"
readings=$(count)
ok "again there is nothing to send" record --server "$server" --not-within 1h
is "nor is a reading stored twice" "$(rm kept/d?.sent; record --server "$server" --not-within 1h; count)" "$readings"
is "and the sender is named" "$(sqlite3 records.db 'select distinct source from target_health')" "$(hostname)"

for file in rows.*.json; do
    curl -s -o out -w '%{http_code}\n' --unix-socket sock -H 'Content-Type: application/json' \
        --data-binary "@$file" http://x/v1/jobstats
done | sort -u >statuses
is "rows are stored" "$(cat statuses)" 200
is "jobs are known" "$(baro job import --server "$server" sacct.txt 2>&1)" \
    "baro job import: 2 new, 0 changed, 0 known, 0 refused"

get "/v1/health?fs=scratch&from=@$start&to=@$end" >health.json
is "GET /v1/health has how it was, what changed and how it was last, at which time" \
    "$(jq -r --argjson s "$start" '[.columns[].name] as $c | .rows[] | [$c, .] | transpose | map({(.[0]): .[1]}) | add |
        select(.target == "scratch-OST0004" and .server) | [((.time[:19] + "Z" | fromdate) - $s), .server] | join(" ")' health.json)" \
    "$(printf '%s\n' "-15 oss02@tcp" "585 oss02@tcp" "1185 oss02@tcp" "1785 oss01@tcp" "3585 oss01@tcp" | sed 2d)"
is "how full it was at a time" "$(get "/v1/health?fs=scratch&at=@$((start + 700))" |
    jq -c '[.columns[].name] as $c | [.rows[] | .[$c | index("used_pct")] | values]')" "[40,99,50]"
is "all of a window are all readings" "$(get "/v1/health?fs=home&from=@$start&to=@$end&all=true" | jq '.rows | length')" 7
is "another file system is not known" "$(get '/v1/health?fs=work' | jq -r '[.status, .detail[:26]] | join(" ")')" \
    "404 fs: there is no reading of"
is "a bad value names what is wanted" "$(get '/v1/health?all=2' | jq -r '[.status, .detail[:22]] | join(" ")')" "400 all: invalid value '2'"


sentence() { jq -r '[.findings[].name] | join(" ")'; }
is "a page has the fullest target that the job used, and which of its targets moved, without a file" \
    "$(show 601 -o json | sentence)" "full-target failover"
is "when and where to" "$(show 601 -o json | jq -c '.health | [.fshealth_ost_most_full_name, .fshealth_ost_most_full_pct,
    .fshealth_moved_from, .fshealth_moved_to, .fshealth_moved_timestamp, .fshealth_ost_fullness_lead_secs]')" \
    "[\"OST0004\",99,\"oss02@tcp\",\"oss01@tcp\",$((start + 1785)),17]"
ok "the page names that evidence" sh -c "baro job show --server $server 601 | grep -q 'Known of it:.* the health of its file system'"
is "of a job on another target nothing is claimed" "$(show 602 -o json | sentence)" ""
for id in 601 602; do
    is "JSON of job $id is what REST serves, byte for byte" "$(show "$id" -o json | cksum)" "$(get "/v1/jobs/$id" | cksum)"
done

# By the weather, and by the page of a log, too.
weather() { # HEALTH
    BARO_SERVER=$server baro weather "$(date -u -d "@$start" +%FT%TZ)" "$(date -u -d "@$end" +%FT%TZ)" --health "$1"
}
weather kept >by-file
is "the weather has the same health by barod as by files" "$(weather barod | diff by-file -)" ""
ok "which names the full target and those that moved" \
    sh -c "grep -q 'OST0004' by-file && grep -q 'oss02@tcp' by-file"
ok "without an option it is that of barod" sh -c "BARO_SERVER=$server baro weather --last 3h | grep -q 'oss02@tcp'"

# Who may submit what.
line() { printf '{"target":"%s","t":%s,"server":"oss09@tcp"}\n' "$1" "$now" >line; }
post() { curl -s --unix-socket sock -H 'Content-Type: application/x-ndjson' --data-binary @line http://x/v1/health; }
line nothing
is "what is no reading is refused with its reason" "$(post | jq -r '.refused, .refusals[0].reason')" \
    "1
its target is not a target of Lustre (scratch-OST0001)"
is "a copy of the database has the readings" "$(baro records copy --from records.db --to copy.db >out 2>&1
    sqlite3 copy.db 'select count(*) from target_readings')" "$(count)"
readings=$(count)
rm kept/d?.sent
record --server "$server" --not-within 1h --cluster nova
is "readings are of the cluster that is named" \
    "$(sqlite3 records.db "select cluster = 'nova', count(*) from target_health group by 1" | tr '\n' ' ')" \
    "0|$readings 1|$readings "
finish
