#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro job summarize --topology: radii of a job's nodes, and the ways they share.
. "$(dirname "$0")/lib.sh"
requires jq python3
cd "$SCRATCH" || exit 1
log_make=$BUILD/src/source/darshan/darshan_make
[ -x "$log_make" ] || skip_all "built without tests"
"$log_make" 341 little zlib >job.darshan
baro job summarize -o json job.darshan >plain.json
start=$(jq -r '.[0].darshan_start_time' plain.json)
end=$(jq -r '.[0].darshan_end_time' plain.json)
id=$(jq -r '.[0]._jobid' plain.json)

# A machine of 400 nodes, a job on some of them, and what is right, computed beside.
python3 - "$id" "$start" "$end" <<'END'
import math, random, sys
jobid, start, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
r = random.Random(7)
place = {n: (r.randrange(20), r.randrange(6), r.uniform(-3, 64)) for n in range(400)}
with open("cray", "w") as f:
    f.write("#\n# this table was made for a test\n#\n")
    for n in range(0, 200):
        f.write("cpu=0,cab_row='a,b',x_coord=%r,y_coord=%r,z_coord=%r,"
                "processor_type='compute',processor_id=%d,od=null\n" % (*place[n], n))
with open("plain", "w") as f:
    for n in range(200, 400):
        f.write("nid%05d %r\t%r %r\n" % (n, *place[n]))
    f.write("nid00000 here there nowhere\n")
with open("ways", "w") as f:
    for g in range(25):
        f.write("nid[%05d-%05d] via ion[%d,%d]\n" % (g * 16, g * 16 + 15, g, (g + 1) % 25))
way = {n: {n // 16, (n // 16 + 1) % 25} for n in range(400)}
ours = sorted(r.sample(range(400), 24))
jobs = [(jobid, start, end + 1, ours)]
for k in range(6):
    first = r.randrange(380)
    jobs.append((str(900 + k), start - 50, start + 1 if k < 3 else start, list(range(first, first + 4))))
with open("jobs", "w") as f:
    f.write("JobID|Cluster|State|Start|End|NNodes|NodeList|JobName\n")
    for name, s, e, nodes in jobs:
        f.write("%s|big|COMPLETED|%d|%d|%d|nid[%s]|x\n" %
                (name, s, e, len(nodes), ",".join("%05d" % n for n in nodes)))
    f.write("999|big|COMPLETED|%d|%d|3||x\n" % (start, end))
    f.write("998|small|COMPLETED|%d|%d|400|nid[00000-00399]|x\n" % (start, end))
middle = [sum(place[n][a] for n in ours) / len(ours) for a in range(3)]
radii = [math.dist(place[n], middle) for n in ours]
gates = set().union(*(way[n] for n in ours))
others = [set().union(*(way[n] for n in nodes)) for _, s, e, nodes in jobs[1:] if e > start]
shared = gates & set().union(*others)
with open("want", "w") as f:
    f.write("[%s]\n" % ",".join(str(v) for v in (
        round(min(radii) * 1e9), round(sum(radii) / len(radii) * 1e9), round(max(radii) * 1e9),
        len(gates), round(len(shared) / len(gates) * 1e9),
        sum(bool(o & gates) for o in others), 1, 24, 0)))
END
baro job summarize -o json -j jobs -t cray -t plain -t ways job.darshan >joined.json 2>said
is "radii, I/O nodes, and the share of them with other jobs, as computed beside" \
    "$(jq -c '.[0] | [(.topology_job_min_radius, .topology_job_avg_radius, .topology_job_max_radius | . * 1e9 | round),
        .topology_job_io_nodes, (.topology_job_io_nodes_shared * 1e9 | round), .topology_job_io_nodes_jobs,
        .topology_job_io_nodes_unknown_jobs, .topology_job_nodes, .topology_job_unplaced_nodes]' joined.json)" \
    "$(cat want)"
is "a line that says nothing is named" "$(cat said)" \
    "baro: plain: line 201: a coordinate is not a number, or too far away"
gzip -k cray
is "the same out of a compressed file" \
    "$(baro job summarize -o json -j jobs -t cray.gz -t plain -t ways job.darshan 2>said | jq -c 'map(with_entries(select(.key | startswith("topology"))))')" \
    "$(jq -c 'map(with_entries(select(.key | startswith("topology"))))' joined.json)"
pick() {
    jq -c '.[0] | [.topology_job_max_radius, .topology_job_io_nodes, .topology_refused]'
}
is "without a list of jobs nobody knows the nodes" \
    "$(baro job summarize -o json -t ways job.darshan | pick)" \
    '[null,null,"the list of jobs does not know the job"]'
sed 's/|nid[^|]*|x$/||x/' jobs >nodeless
is "a list without nodes is no better" \
    "$(baro job summarize -o json -j nodeless -t ways job.darshan | pick)" \
    '[null,null,"the list of jobs has no nodes of the job"]'
head -n 20 plain >few
is "nodes without a place are counted, and the radii are of the others" \
    "$(baro job summarize -o json -j jobs -t few job.darshan | jq '.[0] | .topology_job_nodes == 24 and .topology_job_unplaced_nodes > 0 and .topology_job_unplaced_nodes < 24')" \
    true
is "all rows have the same columns, with a topology and without" \
    "$(baro job summarize -o csv -j jobs -t ways job.darshan | head -n 1)" \
    "$(baro job summarize -o csv job.darshan | head -n 1)"
ok "a file that is not there fails" not baro job summarize -t nothing job.darshan

if [ -z "$SHARED" ]; then
    skip "recorded topology" "no external data"
    finish
fi
inputs=$SHARED/data/tokio/pytokio/tests/inputs
jq -r '"JobID|Start|End|NodeList", "4478544|\(1489975142)|\(1489975898)|\(.["4478544"].nodelist | join(","))"' \
    "$inputs/sample.slurm" >cached
is "the recorded job has the published radii" \
    "$(baro job summarize -o json -j cached -t "$inputs/sample.xtdb2proc.gz" "$inputs/sample.darshan" |
        jq -c '.[0] | [.topology_job_min_radius, .topology_job_avg_radius, .topology_job_max_radius | . * 1e12 | round]')" \
    "$(jq -c '.[0] | [.topology_job_min_radius, .topology_job_avg_radius, .topology_job_max_radius | . * 1e12 | round]' \
        "$SHARED/data/tokio/expected/summarize_job.full.json")"
is "tables of two whole machines are read without a loss" \
    "$(for machine in cori edison; do
        baro job summarize -o json -j cached -t "$SHARED/data/tokio/abcutils/data/$machine.xtdb2proc.gz" \
            "$inputs/sample.darshan" 2>&1 >/dev/null
    done)" ""
finish
