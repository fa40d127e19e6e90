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
check() {
    barod --config "$SCRATCH/barod.conf" --check "$@" >"$SCRATCH/said" 2>&1
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
    ok "in a smaller control group the default follows it" \
        in_group barod --config "$SCRATCH/barod.conf" --check
    ok "what is configured is refused there" not in_group barod \
        --config "$SCRATCH/barod.conf" --check --set barod.memory_max=3GiB
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
