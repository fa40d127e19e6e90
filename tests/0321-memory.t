#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# memory_max is divided: what does not fit is refused, by --check as by a start; so is
# what the control group does not allow; responses that are not read stay within their
# share.  tests/abuse/unread_responses.py is the long form.
. "$(dirname "$0")/lib.sh"
requires python3

cat >"$SCRATCH/barod.conf" <<CONF
[net]
listen = none
socket = $SCRATCH/sock
[records]
path = $SCRATCH/baro.db
[store]
directory = none
CONF
# No unit that may be installed on this machine counts.
echo '[Service]' >"$SCRATCH/free.service"
check() {
    barod --config "$SCRATCH/barod.conf" --check --unit "$SCRATCH/free.service" "$@" \
        >"$SCRATCH/said" 2>&1
}
start() {
    timeout 60 barod --config "$SCRATCH/barod.conf" "$@" >"$SCRATCH/said" 2>&1
}

ok "the defaults fit" check
ok "a store that fits is good" check --set barod.memory_max=4GiB --set store.memory_max=2GiB
ok "one that does not is refused" not check --set barod.memory_max=4GiB \
    --set store.memory_max=4GiB
ok "each part is named with its key" grep -q 'MiB \[net\] body_budget.*\[store\] memory_max' \
    "$SCRATCH/said"
ok "a start refuses it, too" not start --set barod.memory_max=4GiB --set store.memory_max=4GiB
ok "in the same words" grep -q 'memory_max: 4.00 GiB is less than its parts' "$SCRATCH/said"
ok "without memory_max a large store is good" check --set store.memory_max=8GiB

# What worked before memory was divided, in the shipped unit.
unit=$TOP/etc/systemd/barod.service.in
ok "the former default of the store is good in the shipped unit" \
    check --unit "$unit" --set store.memory_max=4GiB
ok "with a warning that names what was lowered" grep -q \
    'lowered \[net\] body_budget from 256 MiB to .*raise MemoryMax' "$SCRATCH/said"
ok "and the limit that it was judged by" grep -q \
    "memory: at most 4\.[0-9]* GiB of 5.00 GiB that $unit allows" "$SCRATCH/said"
ok "a large body_budget is good there" check --unit "$unit" --set net.body_budget=4GiB
ok "and so are many connections" check --unit "$unit" --set net.connections_max=30000
ok "what cannot fit is refused" not check --unit "$unit" --set store.memory_max=8GiB
ok "with the file, every part, and what to do" grep -q \
    "$unit allows 5.00 GiB, .*8.00 GiB \[store\] memory_max: lower these, or raise MemoryMax=" \
    "$SCRATCH/said"
mkdir "$SCRATCH/barod.service.d"
cp "$unit" "$SCRATCH/barod.service"
printf '[Service]\nMemoryMax=10G\n' >"$SCRATCH/barod.service.d/more.conf"
ok "a drop-in counts" check --unit "$SCRATCH/barod.service" --set store.memory_max=8GiB
ok "a unit that is not there is an error" not check --unit "$SCRATCH/none.service"
ok "more than the machine has is a warning" check --set barod.memory_max=512TiB
ok "with both sizes" grep -q 'barod may use 512.*, this machine has' "$SCRATCH/said"

unit_max=$(sed -n 's/^MemoryMax=\([0-9]*\)G$/\1/p' "$TOP/etc/systemd/barod.service.in")
ok "the shipped unit allows the default and an eighth of slack" \
    test $((unit_max * 8)) -ge $((4 * 9))

# A control group of our own, where this machine lets us have one.
group=
for place in /sys/fs/cgroup/memory /sys/fs/cgroup; do
    mkdir "$place/baro-test-$$" 2>/dev/null || continue
    for file in memory.limit_in_bytes memory.max; do
        if echo 2147483648 2>/dev/null >"$place/baro-test-$$/$file"; then
            group=$place/baro-test-$$
            break
        fi
    done
    [ -z "$group" ] || break
    rmdir "$place/baro-test-$$"
done
in_group() {
    sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$group" "$@" \
        >"$SCRATCH/said" 2>&1
}
if [ -n "$group" ]; then
    at_exit "rmdir $group"
    ok "in a smaller control group the default follows it" in_group barod \
        --config "$SCRATCH/barod.conf" --check --unit "$SCRATCH/free.service"
    ok "what is configured is refused there" not in_group barod --config \
        "$SCRATCH/barod.conf" --check --unit "$SCRATCH/free.service" --set barod.memory_max=3GiB
    ok "and the group's file is named" grep -q "allows 2.00 GiB ($group/memory" \
        "$SCRATCH/said"
else
    skip "in a smaller control group the default follows it" "no control group may be made"
    skip "what is configured is refused there" "no control group may be made"
    skip "and the group's file is named" "no control group may be made"
fi

ok "responses that are not read stay within their share" \
    python3 "$TOP/tests/abuse/unread_responses.py" --connections 12 --names 60000 --budget 16
sed 's/^/# /' "$SCRATCH/ok.out"
finish
