#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doc/*.md of the first week, sizing and hardening: their commands of barograph run; the keys,
# counters, units and links that they name are there.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires curl jq

socket=$SCRATCH/barod.sock
mkdir -p "$SCRATCH/health" "$SCRATCH/etc"
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
retention = 36500d
[store]
directory = $SCRATCH/store
[write]
cluster = site
metrics = open
CONF
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit "kill -9 $pid"
wait_for 60 curl -sf --unix-socket "$socket" http://x/healthz || skip_all "barod does not start"
export BARO_SERVER="unix:$socket"
now=$(date +%s)
ok "rows are there" curl -sf -H 'Content-Type: application/json' \
    --data-binary "@$TOP/tests/batches/agent-0.1.0.json" --unix-socket "$socket" http://x/v1/jobstats
ok "and samples" curl -sf --data-binary "cpu,hostname=n1 value=1 ${now}000000000" \
    --unix-socket "$socket" "http://x/api/write?cluster=site"
cat >"$SCRATCH/health/df-$(date -u +%F).txt" <<END
BEGIN $now
UUID 1K-blocks Used Available Use% Mounted on
scratch-OST0001_UUID 100 50 50 50% /s[OST:1]
END
# What sacct prints of one job.
cat >"$SCRATCH/sacct" <<END
{"jobs":[{"job_id":7,"cluster":"alex","user":"ann","account":"hpc","nodes":"n1",
"time":{"submission":$((now - 900)),"start":$((now - 800)),"end":$((now - 100))},
"state":{"current":["COMPLETED"]},"name":"x","partition":"p","allocation_nodes":1}]}
END

# Lines of a page's blocks that begin with a program of ours, without the comment behind them.
commands_of() { # PAGE
    sed -n 's/^    \(baro .*\|curl .*\|sacct .* | baro .*\)/\1/p' "$TOP/doc/$1" |
        sed 's/  *# .*//; s/  *401$//'
}
run() { # COMMAND: with this test's paths in the place of a site's
    printf '%s\n' "$1" | sed -e "s|/run/barograph/barod.sock|$socket|" \
        -e "s|^sacct .* . baro|baro|; s| -\$| $SCRATCH/sacct|" \
        -e "s|/var/lib/barograph|$SCRATCH|; s|/etc/barograph|$SCRATCH/etc|g" \
        -e "s|https://barod.example:8091|--unix-socket $socket http://x|" >command.sh
    timeout 60 sh ./command.sh </dev/null
}
cd "$SCRATCH" || exit 1
for page in first-week.md hardening.md sizing.md; do
    commands_of $page >"list.$page"
    ok "$page has commands" test -s "list.$page"
    while IFS= read -r line; do
        ok "$page: $line" run "$line"
    done <"list.$page"
done

for page in sizing.md hardening.md; do
    for key in $(sed -n 's/^    \([a-z_]*\) = .*/\1/p' "$TOP/doc/$page" | sort -u); do
        ok "$page: barod.conf(5) has $key" grep -q "\*$key\*" "$TOP/doc/man/barod.conf.5.scd"
    done
done
curl -s --unix-socket "$socket" http://x/metrics >metrics
for name in $(grep -ho '\bbaro_[a-z_]*[a-z]' "$TOP/doc/sizing.md" "$TOP/doc/hardening.md" | sort -u); do
    case $name in
    # Only where there are tokens.
    baro_net_token_expires_seconds) ok "$name is documented" grep -rq "$name" "$TOP/doc/man" ;;
    *) ok "$name is in /metrics" grep -q "^$name" metrics ;;
    esac
done
for unit in $(grep -ho '[a-z-]*\.timer' "$TOP/doc/first-week.md" | sort -u); do
    ok "$unit is a unit" test -f "$TOP/etc/systemd/$unit"
done
for page in first-week.md sizing.md hardening.md operations.md glossary.md; do
    for link in $(grep -o ']([^)#]*)' "$TOP/doc/$page" | tr -d '])('); do
        ok "$page: $link is there" test -e "$TOP/doc/$link"
    done
done
is "the glossary has each word once" \
    "$(sed -n 's/^| \*\*\([^*]*\)\*\*.*/\1/p' "$TOP/doc/glossary.md" | sort | uniq -d)" ""
finish
