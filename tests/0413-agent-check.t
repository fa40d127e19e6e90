#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro-agent --check makes nothing, and judges as the service's user when root asks.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires baro-agent
chmod 755 "$SCRATCH"
cat >"$SCRATCH/lctl" <<'LCTL'
#!/bin/sh
case $* in
*job_cleanup_interval*) echo "obdfilter.scratch-OST0000.job_cleanup_interval=600" ;;
"get_param -N"*) echo "obdfilter.scratch-OST0000.job_stats" ;;
*job_stats*) echo "job_stats:" ;;
esac
LCTL
chmod 755 "$SCRATCH/lctl"
check() {
    baro-agent --check "$@" --config /dev/null --set "agent.lctl=$SCRATCH/lctl" \
        --set "agent.state=$SCRATCH/var/agent" --set "agent.spool=$SCRATCH/var/spool" \
        --set "agent.server=unix:$SCRATCH/none" >"$SCRATCH/out" 2>&1
}
me=$(id -un)
ok "without its directories the check says that they can be made" check --user "$me"
ok "in so many words" grep -q "state '$SCRATCH/var/agent': is not there yet, and can be made" "$SCRATCH/out"
ok "and makes nothing" not test -e "$SCRATCH/var"
mkdir -p "$SCRATCH/var/agent" "$SCRATCH/var/spool"
ok "with them it says that they can be written" check --user "$me"
is "both" "$(grep -c 'can be written' "$SCRATCH/out")" 2
is "and leaves them empty" "$(find "$SCRATCH/var" -mindepth 2 | wc -l)" 0
check --user no-such-user-here
is "a user that is not there is a misuse" $? 2

# ---- what a start refuses ----
timeout 20 baro-agent --config /dev/null --set "agent.lctl=$SCRATCH/lctl" \
    --set "agent.state=$SCRATCH/var/agent" --set "agent.spool=$SCRATCH/var/spool" \
    --set "agent.server=unix:$SCRATCH/none" --set agent.totals_interval=500ms \
    >"$SCRATCH/out" 2>&1
is "an interval of totals that is too short ends the start" $? 1
ok "and the log has the reason" \
    grep -q "error: agent.totals_interval: less than 1s" "$SCRATCH/out"
rm -rf "${SCRATCH:?}/var"
mkdir -p "$SCRATCH/var/agent" "$SCRATCH/var/spool"

if [ "$(id -u)" != 0 ]; then
    check --user root
    is "only root judges as another" $? 2
    finish
    exit
fi
chmod 700 "$SCRATCH/var"
ok "what root has closed is closed for the service" not check --user nobody
ok "it says as whom it judges" grep -q "^judged as user 'nobody'" "$SCRATCH/out"
is "and what cannot be done" "$(grep -c "$SCRATCH/var/.*: Permission denied" "$SCRATCH/out")" 2
rm -rf "${SCRATCH:?}/var"
ok "what is not there, and nobody may make, is said" not check --user nobody
ok "with the remedy" grep -q "cannot be made in '$SCRATCH': Permission denied; make it" "$SCRATCH/out"
ok "and nothing was made" not test -e "$SCRATCH/var"
finish
