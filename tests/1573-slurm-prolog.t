#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real Slurm with our prolog and epilog: each job's start is a sample of health, and its
# end writes what it did with its files into its AdminComment.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-slurm.sh"
requires jq
why=$(slurm_available) || skip_all "$why"
log_make=$BUILD/src/source/darshan/darshan_make
[ -x "$log_make" ] || skip_all "built without tests"
cd "$SCRATCH" || exit 1
"$log_make" 341 little zlib >made.darshan

mkdir bin
cat >bin/lfs <<'END'
#!/bin/sh
echo "UUID 1K-blocks Used Available Use% Mounted on"
echo "scratch-OST0000_UUID 1000 500 500 50% /scratch[OST:0]"
END
cat >bin/lctl <<'END'
#!/bin/sh
echo "  4 UP osc scratch-OST0000-osc-ffff88 8dbd 5 oss1@tcp"
END
slurm_share || {
    slurm_why | sed 's/^/# /'
    skip_all "no Slurm could be started here"
}
for script in slurm-prolog-health slurm-epilog-io; do
    # slurmctld gives its scripts a path of its own.
    cat >"$script" <<END
#!/bin/sh
PATH=$SCRATCH/bin:$PATH BARO_HEALTH_DIR=$SCRATCH/health BARO_DARSHAN_DIR=$SCRATCH/darshan SLURM_CONF=$SLURM_CONF
export PATH BARO_HEALTH_DIR BARO_DARSHAN_DIR SLURM_CONF
exec $TOP/etc/$script
END
done
chmod +x bin/* slurm-*
slurm_hook prolog "$SCRATCH/slurm-prolog-health"
slurm_hook epilog "$SCRATCH/slurm-epilog-io"

# A job that leaves a log as Darshan would, one that leaves none, an array, and one whose
# log is damaged.
submit() {
    sbatch --parsable -o /dev/null "$@" </dev/null
}
leave='d=$BARO_LOGS/$(date +%Y/%-m/%-d); mkdir -p $d; cp $BARO_LOG $d/ann_a.out_id${SLURM_JOB_ID}-7_11-21-1-2_1.darshan'
export BARO_LOGS="$SCRATCH/darshan" BARO_LOG="$SCRATCH/made.darshan"
with=$(submit --wrap "$leave")
without=$(submit --wrap true)
array=$(submit --array=1-2 --wrap "$leave")
head -c 100 made.darshan >cut.darshan
damaged=$(BARO_LOG=$SCRATCH/cut.darshan submit --wrap "$leave")
ok "all jobs end" slurm_settled 5
comment() {
    sacct -n -X -P -j "$1" -o AdminComment
}
# sacctmgr lowers the case of what it is given.
line=$(baro job show --line made.darshan | tr '[:upper:]' '[:lower:]')
has_comment() {
    [ "$(comment "$with")" = "$line" ] && [ "$(comment "${array}_2")" = "$line" ]
}
ok "the epilog writes the line of a job's log" wait_for 30 has_comment
is "it says what the job did" "$(comment "$with" | cut -c1-4)" "io: "
is "each task of an array has its own" "$(comment "$array")" "$line
$line"
is "a job without a log has none, nor one whose log is no log" "$(comment "$without")$(comment "$damaged")" ""
is "no job failed for it" "$(sacct -n -X -P -o State | sort -u)" COMPLETED
is "baro job list reads on as before" \
    "$(SLURM_TIME_FORMAT=%s sacct -a -D -P -o JobID,JobIDRaw,State,Start,End,AdminComment,JobName |
        baro job list - -o json | jq length)" 5
ok "each start is a sample, those of one minute are one" wait_for 30 sh -c \
    '[ -s health/df.state ] && [ -s health/dl.state ]'
is "it is read as any other" "$(baro health show health -o json |
    jq -c '.[] | [.filesystem, .mean_full_pct, .servers]')" '["scratch",50,1]'
is "five jobs, one sample" "$(cat health/df-*.txt | grep -c BEGIN)" 1
finish
