#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro top --ssh: played servers, read through a forced command, on a played clock.
. "$(dirname "$0")/lib.sh"
requires jq baro-sim
LC_ALL=C.UTF-8
export LC_ALL

SIM_FS=$SCRATCH/fs
BARO_CLOCK=$SCRATCH/clock
SIM_SSH_COMMAND="sh $SCRATCH/read"
baro-sim clock --clock "$BARO_CLOCK" --set @1669014000 >/dev/null
export SIM_FS BARO_CLOCK SIM_SSH_COMMAND
baro-sim init --fs "$SIM_FS" --clock "$BARO_CLOCK" version=2.12 nodes=300 >/dev/null

# The shipped script, but for the PATH that it sets itself: the played lctl must be found.
sed '/^PATH=/d' "$TOP/etc/baro-ssh-read" >"$SCRATCH/read"

# Each connection finds the time two minutes on.
cat >"$SCRATCH/ssh" <<END
#!/bin/sh
exec 9>"$SCRATCH/lock"
flock 9 # servers are read at the same time
now=\$(cat "$SCRATCH/now")
echo \$((now + 120)) >"$SCRATCH/now"
baro-sim clock --clock "$BARO_CLOCK" --set "@\$((now + 120))" >/dev/null
exec 9>&-
exec sh "$TOP/tests/sim/ssh" "\$@"
END
chmod +x "$SCRATCH/ssh"

top() {
    echo 1669014000 >"$SCRATCH/now"
    baro-sim clock --clock "$BARO_CLOCK" --set @1669014000 >/dev/null
    baro top --command "$SCRATCH/ssh" --interval 1ms "$@" 2>"$SCRATCH/notes"
}

is "the first reading of counters tells of nobody yet" \
    "$(top --ssh oss01 --rounds 1 --op write_bytes --output json | jq length)" 0
ok "and says why" grep -q 'beginnings are not known' "$SCRATCH/notes" ||
    sed 's/^/# /' "$SCRATCH/notes"
top --ssh oss01 --rounds 4 --op write_bytes --output json --limit 1000 >"$SCRATCH/answer"
ok "later ones tell who writes" test "$(jq length "$SCRATCH/answer")" -gt 3
ok "of the targets of that server" grep -q '3 targets of 1 servers' "$SCRATCH/notes"
by_target=$(top --ssh oss01 --rounds 4 --op write_bytes --by target --output json | jq 'map(.write_bytes) | add')
is "the sum over targets is the sum over jobs" \
    "$(jq 'map(.write_bytes) | add' "$SCRATCH/answer")" "$by_target"
is "a pattern chooses targets" \
    "$(top --ssh oss01 --rounds 4 --by target --target '*-OST0000' --output json | jq -c 'map(.target)')" \
    '["scratch-OST0000"]'

top --ssh 'oss[01,99]' --rounds 2 --output json >"$SCRATCH/answer"
ok "a server that does not respond is named, and costs only itself" \
    grep -q 'oss99.*No route to host' "$SCRATCH/notes"
ok "the other one is there" grep -q 'of which 1 responded' "$SCRATCH/notes" || sed 's/^/# /' "$SCRATCH/notes"

: >"$SIM_FS/hang.oss01"
top --ssh oss01 --rounds 1 --timeout 300ms --output json >"$SCRATCH/answer"
ok "a server that hangs is given up" grep -q 'oss01: .*timed out' "$SCRATCH/notes"
rm "$SIM_FS/hang.oss01"

groups() {
    top --ssh oss01 --rounds 3 --by group --output json "$@" | jq 'map(.group // empty) | length > 0'
}
is "identifiers of the usual format name no group" "$(groups)" false
is "those of a site's own format do" "$(groups --format '%e.%u' --format '%g:%u:%H')" true
printf '[filesystem scratch]\njobid_name = %%g:%%u:%%H\n' >"$SCRATCH/barod.conf"
is "as in a configuration of barod" "$(groups --config "$SCRATCH/barod.conf")" true
baro top --ssh oss01 --format '%q' >/dev/null 2>"$SCRATCH/notes"
is "a format that is none is misuse" "$?" 2
ok "and is named" grep -q -e "--format: .*%q" "$SCRATCH/notes"

baro top >/dev/null 2>&1
is "without hosts it is misuse" "$?" 2
baro top --ssh 'oss[01-' >/dev/null 2>&1
is "a bad host set too" "$?" 2
ok "the shipped script ignores what it is asked for" \
    not grep -q 'SSH_ORIGINAL_COMMAND' "$TOP/etc/baro-ssh-read"
finish
