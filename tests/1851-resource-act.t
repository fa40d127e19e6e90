#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro resource act against Debian's own Slurm: what is down is drained, within limits and once, and
# resumed when it is up; what an administrator drained, or resumed, or gave a reason, is left; unknown,
# a Slurm that is away and a barod that is away are no reason for anything.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-slurm.sh"
requires jq curl
why=$(slurm_available) || skip_all "$why"
cd "$SCRATCH" || exit 1
slurm_start || {
    slurm_why | sed 's/^/# /'
    skip_all "no Slurm could be started here"
}

# What is down is an administrator's to return.
sed -i 's/^ReturnToService=.*/ReturnToService=0/' "$SLURM_CONF"
scontrol reconfigure
wait_for 20 slurm_ready

barod_conf
start_barod || fail "barod starts"
nodes=$(sinfo -h -N -o %N | sort -u)
set -- $nodes
n1=$1 n2=$2 n3=$3
state_health() { # NODE HEALTH [REASON]
    printf '{"component":"alex/%s","health":"%s","reason":"%s","source":"ping"}\n' "$1" "$2" "${3-}" |
        curl -sf --unix-socket "$socket" -H 'Content-Type: application/x-ndjson' --data-binary @- http://x/v1/resources >posted
}
node() { # NODE: state and reason, in one line
    sinfo -h -N -n "$1" -o '%T %E' | sort -u | sed 's/^\([a-z]*\)[^a-z ]*/\1/; s/, since .*//'
}
act() { # OPTIONS
    baro resource act --server "$server" --cluster alex --slurm-cluster weather --slurm-conf "$SLURM_CONF" --drain-on down --nodes-max 2 --drain-after 1ns --resume-after 1ns \
        --state "$SCRATCH/act" "$@"
}
for one in $nodes; do state_health "$one" up; done
ok "three nodes are idle" test "$(sinfo -h -N -o '%N %T' | sort -u | grep -c idle)" = 3

is "where all is up nothing is done" "$(act)" ""
state_health "$n1" down 'ping: no response for 30 s'
is "a dry run states it" "$(act --dry-run | sed 's/, since .*//')" "$n1: would be drained: baro: down: ping: no response for 30 s"
is "and leaves the node" "$(node "$n1")" "idle none"
is "what is down is drained" "$(act | sed 's/, since .*//')" "$n1: drained: baro: down: ping: no response for 30 s"
is "with check, value and time" "$(node "$n1")" "drained baro: down: ping: no response for 30 s"
is "never twice" "$(act)" ""
is "each action is recorded" "$(jq -c '[.node, .action, .result, .dry_run]' act/actions.log | tr '\n' ' ')" \
    "[\"$n1\",\"drain\",\"done\",true] [\"$n1\",\"drain\",\"done\",false] "
state_health "$n1" unknown 'ping: timed out'
is "unknown does not resume" "$(act)" ""
state_health "$n1" up
is "what is up again is resumed" "$(act | cut -d: -f1,2)" "$n1: resumed"
is "and is idle" "$(node "$n1" | cut -d' ' -f1)" idle

# ---- an administrator's ----
scontrol update nodename="$n1" state=drain reason='board swap'
state_health "$n1" down 'ping: no response'
is "what is drained is left" "$(act) $(node "$n1")" " drained board swap"
state_health "$n1" up
is "and is not resumed" "$(act) $(node "$n1")" " drained board swap"
scontrol update nodename="$n1" state=resume
state_health "$n1" down 'ping: no response'
act >out
is "it is drained by us" "$(node "$n1")" "drained baro: down: ping: no response"
scontrol update nodename="$n1" state=drain reason='mine now'
act >out
state_health "$n1" up
is "another reason makes it another's" "$(act) $(node "$n1")" " drained mine now"
scontrol update nodename="$n1" state=resume
act >out
state_health "$n1" down 'ping: no response'
act >out
scontrol update nodename="$n1" state=resume
is "what an administrator resumed is not drained again" "$(act; act) $(node "$n1" | cut -d' ' -f1)" " idle"
state_health "$n1" up
act >out
state_health "$n1" down 'ping: no response'
is "before it was up" "$(act | cut -d: -f1,2)" "$n1: drained"

# ---- an administrator's other states ----
state_health "$n1" up
act >out
# Whether slurmd has responded just then is of no matter.
plain() { sinfo -h -N -n "$1" -O 'StateComplete:0|,Reason:0' | sed 's/+not_responding//' | sort -u; }
left() { # WHAT: down and up, n1 is as it was
    left_was=$(plain "$n1")
    state_health "$n1" down 'ping: no response'
    act >out
    is "$1 is left" "$(cat out)$(plain "$n1")" "$left_was"
    state_health "$n1" up
    act >out
    is "$1 is not lifted" "$(cat out)$(plain "$n1")" "$left_was"
}
scontrol update nodename="$n1" state=down reason='board swap'
left "what is down"
scontrol update nodename="$n1" state=resume
scontrol update nodename="$n1" state=fail reason='failing disk'
left "what fails"
scontrol update nodename="$n1" state=down reason=x
scontrol update nodename="$n1" state=resume
scontrol update nodename="$n1" state=drain reason='one
two'
state_health "$n2" down 'ping: no response'
is "a reason of two lines stops no other node" "$(act | grep -c "^$n2: drained")" 1
scontrol update nodename="$n1" state=resume
state_health "$n2" up
act >out
printf 'RebootProgram=/bin/true\nResumeTimeout=600\n' >>"$SLURM_CONF"
scontrol reconfigure
scontrol update nodename="$n2" state=drain reason='board swap'
reboots() {
    scontrol reboot asap reason='fw update' "$n2" 2>"$SCRATCH/reboot" || return 1
}
issued() { plain "$n2" | grep -q reboot_issued; }
if wait_for 10 reboots && wait_for 20 issued; then
    left_was=$(plain "$n2")
    state_health "$n2" down 'ping: no response'
    act >out
    is "what an administrator reboots is left" "$(cat out)$(plain "$n2")" "$left_was"
    state_health "$n2" up
    act >out
    is "and not lifted" "$(cat out)$(plain "$n2")" "$left_was"
else
    fail "a reboot is issued"
fi
scontrol update nodename="$n2" state=down reason=x
scontrol update nodename="$n2" state=resume
state_health "$n1" down 'ping: no response'
ok "they are in service again" wait_for 20 sh -c "[ \"\$(sinfo -h -N -o '%N %T' | sort -u | grep -c idle)\" = 3 ]"
act >out

# ---- down behind our drain, and an administrator in the same moment ----
state_health "$n1" up
act >out
state_health "$n1" down 'ping: no response'
act >out
ours=$(plain "$n1" | cut -d'|' -f2)
scontrol update nodename="$n1" state=down reason="$ours"
state_health "$n1" up
left_was=$(plain "$n1")
is "what is down besides our drain is not resumed" "$(act | cut -d: -f1,2)" "$n1: not resumed"
is "for that would end both" "$(plain "$n1")" "$left_was"
ok "it was drained and down" sh -c "echo '$left_was' | grep -q 'down.*drain.*|baro: down'"
scontrol update nodename="$n1" state=resume
is "a resume of Slurm does" "$(plain "$n1" | cut -d'|' -f1)" idle
act >out
# shellcheck disable=SC2016 # of the script
printf '#!/bin/sh\nscontrol "$@" || exit 1\n[ "$3" != state=drain ] || scontrol update "$2" state=drain reason=hers\n' >hers
chmod +x hers
state_health "$n1" down 'ping: no response'
is "an administrator's right behind ours is seen" "$(act --scontrol ./hers)" "$n1: drained, and another changed it meanwhile: hers"
state_health "$n1" up
is "and stays" "$(act; act) $(node "$n1")" " drained hers"
scontrol update nodename="$n1" state=resume

# ---- another cluster, another record ----
state_health "$n1" down 'ping: no response'
act --slurm-cluster alex >out 2>err
is "Slurm of another cluster is refused" "$? $(cat out)$(grep -c "of cluster 'weather', and not of 'alex'" err)" "1 1"
is "the environment chooses none" "$(SLURM_CLUSTERS=nowhere SINFO_FORMAT=%N SINFO_PARTITION=none act | cut -d: -f1,2)" "$n1: drained"
state_health "$n2" down 'ping: no response'
is "what a lost record drained counts" "$(act --state "$SCRATCH/lost" --nodes-max 1 | sed 's/ with a.*//' | sort)" "$n1: drained
$n2: not drained: the limit is reached"
for one in "$n1" "$n2"; do state_health "$one" up; done
is "and is not resumed" "$(act --state "$SCRATCH/lost" | grep -c resumed)" 0
is "but by its record" "$(act | cut -d: -f1,2)" "$n1: resumed"

# ---- a command of the site, on a node that is drained and idle ----
printf '#!/bin/sh\necho "$*" >>%s/ran\n' "$SCRATCH" >serves
chmod +x serves
printf '[action reset]\ncommand = %s/serves {host} {check}\ncheck = ping\nafter = 0s\n' "$SCRATCH" >actions.conf
runs() { sinfo -h -N -n "$n3" -o %T | grep -qE 'alloc|mixed'; }
job=$(sbatch --parsable --nodelist="$n3" --output=/dev/null --wrap 'sleep 600')
ok "a job runs there" wait_for 30 runs
state_health "$n3" down 'ping: no response'
is "its node is drained, and the command waits for it" "$(act --actions actions.conf | sed 's/: baro.*//; s/: alex.*response: /: /')" "$n3: drained
$n3: action reset: held back: jobs still run there"
scancel "$job"
ended() { [ "$(plain "$n3" | cut -d'|' -f1)" = idle+drain ]; }
ok "the job ends" wait_for 60 ended
is "then it is run" "$(act --actions actions.conf | cut -d: -f1-3) $(cat ran)" "$n3: action reset: done $n3 ping"
is "once" "$(act --actions actions.conf) $(cat ran)" " $n3 ping"
state_health "$n3" up
is "and the node is resumed when its host is up" "$(act --actions actions.conf | cut -d: -f1,2)" "$n3: resumed"
act >out

# ---- limits ----
state_health "$n1" down 'ping: no response'
act >out
for one in "$n2" "$n3"; do state_health "$one" down 'ping: no response'; done
is "never more than so many" "$(act | sed 's/: baro.*//')" "$n2: drained
$n3: not drained: the limit is reached"
is "nor than so many percent" "$(act --nodes-max 3 --percent-max 67 | sed 's/: baro.*//')" "$n3: not drained: the limit is reached"
for one in $nodes; do state_health "$one" up; done
is "they are resumed" "$(act | cut -d: -f2 | sort | uniq -c | tr -s ' ')" " 2 resumed"

# ---- what is away ----
state_health "$n2" down 'ping: no response'
act --sinfo false >out 2>err
is "a Slurm that does not respond is no reason" "$? $(cat out) $(node "$n2" | cut -d' ' -f1)" "1  idle"
printf '#!/bin/sh\nsleep 60\n' >hangs
chmod +x hangs
act --sinfo ./hangs --timeout 100ms >out 2>err
is "nor one that hangs" "$? $(cat out) $(grep -c 'no response in time' err)" "1  1"
# shellcheck disable=SC2016 # of the script
printf '#!/bin/sh\n[ "$1" != show ] || exec scontrol "$@"\necho refused >&2\nexit 1\n' >refuses
chmod +x refuses
act --scontrol ./refuses >out 2>err
is "what failed is stated" "$? $(grep -c 'refused (status 1)' out)" "1 1"
is "and done the next time" "$(act | cut -d: -f1,2)" "$n2: drained"
end_barod
is "a barod that is away is no reason, either" "$(act 2>err; echo $?) $(node "$n2" | cut -d' ' -f1)" "1 drained"
finish
