#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# GET /v1/nodes under attack: each hostile parameter is refused with its name, memory stays
# bounded, and other clients are served meanwhile.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl jq python3

# As in 0302: what barod may take; sanitizers need several times as much.
limit_kib=262144
if nm "$BUILD/src/cmd/barod" 2>/dev/null | grep -q __asan_init; then
    limit_kib=1048576
fi
end=$(($(date +%s) / 300 * 300))
from=$((end - 3600))
barod_conf cpu_load mem_bw clock cpu_temp swap_used gpu_power gpu_temp net_bytes
BARO_SERVER=$server
export BARO_SERVER
ok "barod starts" start_barod
is "an hour of nodes is sent" "$(python3 "$TOP/tests/sim/nodes.py" play $end | curl -s -o "$SCRATCH/out" \
    -w '%{http_code}' --unix-socket "$socket" --data-binary @- http://x/api/write)" 200
python3 "$TOP/tests/sim/node_attack.py" "$socket" $from $end >"$SCRATCH/attack" 2>"$SCRATCH/err"
is "the attacker is through" "$?$(cat "$SCRATCH/err")" 0
while IFS='|' read -r result name shown; do
    is "$name" "$result $shown" "good "
done <"$SCRATCH/attack"
ok "all attacks were tried" [ "$(wc -l <"$SCRATCH/attack")" -ge 34 ]

peak_kib=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status")
echo "# peak memory $peak_kib KiB of $limit_kib"
ok "barod stayed within its memory" [ "$peak_kib" -le "$limit_kib" ]
ok "what a person reads of it is a line without control bytes" sh -c \
    "baro node \"\$(printf 'alex/\\033[31m\\007')\" --from @$from --to @$end >'$SCRATCH/said' 2>&1
    ! LC_ALL=C grep -q '[^ -~]' '$SCRATCH/said' && grep -q '^baro node: .*component' '$SCRATCH/said'"
is "the page is as good as before" "$(baro node alex/a040 --from @$from --to @$end -o csv 2>"$SCRATCH/err" |
    cut -d, -f1,3 | tail -n 1)" alex/a040,clock
ok "barod ends, and no sanitizer complains" end_barod
ok "it logged no error" not grep -qE 'Sanitizer|runtime error| (error|crit):' "$SCRATCH/barod.log"
finish
