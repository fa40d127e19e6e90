#!/bin/sh
# The command line: help, misuse, versions.
. "$(dirname "$0")/lib.sh"

ok "baro --help lists the commands" sh -c 'baro --help | grep -q "config sample"'
ok "a version is printed" sh -c 'baro --version | grep -q "^baro [0-9]"'
baro nonsense >"$SCRATCH/out" 2>&1
is "an unknown command is misuse" "$?" 2
ok "and says where to look" grep -q -- "--help" "$SCRATCH/out"
baro config sample --nonsense >/dev/null 2>"$SCRATCH/err"
is "an unknown option is misuse" "$?" 2
ok "and is named" grep -q -- "--nonsense" "$SCRATCH/err"
baro jobstats nonsense >/dev/null 2>"$SCRATCH/err"
is "an unknown verb is misuse" "$?" 2
ok "and is named" grep -q "no 'jobstats nonsense'" "$SCRATCH/err"
says() { # TEXT COMMAND...: it fails, and says so
    text=$1
    shift
    ! "$@" >"$SCRATCH/said" 2>&1 && grep -q -- "$text" "$SCRATCH/said"
}
ok "no daemon: the socket is named" \
    says "unix:$SCRATCH/no.sock: there is no such socket" \
    baro jobstats top --server "unix:$SCRATCH/no.sock"
ok "and by baro stats" says "is barod running" baro stats --server "unix:$SCRATCH/no.sock"
ok "a host without Lustre is told" \
    sh -c 'baro lustre stats --root "$1" 2>&1 | grep -q "no Lustre server is found"' sh "$SCRATCH"
: >"$SCRATCH/nothing"
ok "an empty dump is told" \
    sh -c 'baro jobstats parse "$1" 2>&1 | grep -q ": empty$"' sh "$SCRATCH/nothing"
ok "an agent without lctl asks whether this is a Lustre server" \
    says "is this a Lustre server" baro-agent --check --user "$(id -un)" --set "agent.lctl=$SCRATCH/lctl" \
    --set "agent.state=$SCRATCH/state" --set "agent.spool=$SCRATCH/spool" \
    --set "agent.server=unix:$SCRATCH/no.sock"
finish
