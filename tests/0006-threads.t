#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A sample under ThreadSanitizer: the unit tests that start threads, then a whole barod with
# senders, agents, exporters, readers of every route, roll-ups and health checks for a few
# seconds.  scripts/soak threads does it for longer.
. "$(dirname "$0")/lib.sh"
requires python3 meson ninja

# Built beside the build that is tested.
watched=$BUILD-tsan
builds() {
    [ -f "$watched/build.ninja" ] || meson setup "$watched" "$TOP" -Db_sanitize=thread \
        -Db_lundef=false -Dman=false || return 1
    ninja -C "$watched" src/cmd/barod src/cmd/baro src/test_base_log src/test_net_server \
        src/test_ingest_jobstats_routes src/test_store_workers src/test_store_tree_metric src/test_query_live \
        src/test_daemon_session_view src/test_forward_forward
}
ok "what is watched can be built" builds

# ThreadSanitizer itself must be able to run here (address space, kernel).
unset ASAN_OPTIONS UBSAN_OPTIONS
TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1 exitcode=66"
export TSAN_OPTIONS
"$watched/src/cmd/barod" --version >"$SCRATCH/version" 2>&1 || {
    skip "no thread races another" \
        "ThreadSanitizer does not run here: $(head -n 1 "$SCRATCH/version")"
    finish
}
for unit in base_log net_server ingest_jobstats_routes store_workers store_tree_metric query_live daemon_session_view forward_forward; do
    ok "no thread of test_$unit races another" timeout 300 "$watched/src/test_$unit"
done
ok "nor one of barod, whoever comes to it" python3 "$TOP/tests/metrics/crowd.py" "$watched" \
    --seconds "${THREADS_S:-5}" --directory "$SCRATCH"
sed 's/^/# /' "$SCRATCH/ok.out"
finish
