#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro health show: how full GPFS's disks are and who serves them, out of mmdf, mmlsdisk
# and mmlsnsd.
. "$(dirname "$0")/lib.sh"
requires jq python3
cd "$SCRATCH" || exit 1
corpus=$TOP/fuzz/corpus/health
targets() {
    baro health show --targets "$@" -o json 2>said |
        jq -c '.[] | [.target, .active, .total_bytes, .used_bytes, .available_bytes, .server]'
}
is "the forms for people, put together" "$(targets "$corpus/gpfs"; cat said)" \
    '["nsd01",true,1073741824,89169920,984571904,"c02"]
["nsd02",false,1073741824,88104960,985636864,null]
["nsd03",true,null,null,null,null]'
is "the form for programs" "$(targets "$corpus/gpfs-y"; cat said)" \
    '["d1",true,1024000,563200,460800,null]
["d2",false,2048000,1433600,614400,"s1"]'
is "a file system is told by mmlsnsd, or by the command before the answer" \
    "$(baro health show "$corpus/gpfs" -o json | jq -c '.[] | [.filesystem, .osts, (.max_full_pct // 0 | . * 100 | round), .fullest]')" \
    '["fs1",1,830,"nsd01"]
["fs2",null,0,null]'
sed 's/in KB/in GB/' "$corpus/gpfs" >gigabytes
is "sizes in other units are refused" "$(targets gigabytes >/dev/null; grep -c 'sizes are not in KB' said)" 2
sed 's/^nsd01 .*961024.*/nsd01 100 40 Yes Yes 90 ( 90%) 20 (20%)/' "$corpus/gpfs" >exceeding
is "more free than there is is refused" "$(targets exceeding >/dev/null; cut -d: -f3 said)" " more is free than there is"

# ---- a cluster made by chance, and what is right of it ----
python3 - <<'END'
import random, json
r = random.Random(5)
def y(kind, values):
    print(kind + ":" + ":".join(values) + ":", file=out)
disks, want = [], {"full": [], "servers": {}}
servers = ["nsd%02d" % s for s in range(8)]
for d in range(96):
    size = r.randrange(1, 1 << 34)
    blocks = r.randrange(size)
    fragments = r.randrange(size - blocks)
    data = d % 12 != 0
    pair = [servers[d % 8], servers[(d + 1) % 8]]
    disks.append(("lun%03d" % d, size, blocks, fragments, data, pair, "up" if r.random() < 0.95 else "down"))
dead = "nsd03"  # its partner serves its disks now
with open("cluster.txt", "w") as out:
    print("BEGIN 1500000000", file=out)
    print("mmdf /dev/big -Y", file=out)
    y("mmdf:nsd", "HEADER:version:reserved:reserved:nsdName:storagePool:diskSize:failureGroup:metadata:data:freeBlocks:freeBlocksPct:freeFragments:freeFragmentsPct:diskAvailableForAlloc".split(":"))
    for name, size, blocks, fragments, data, pair, state in disks:
        y("mmdf:nsd", ["0", "1", "", "", name, "p", str(size), "1", "No" if data else "Yes", "Yes" if data else "No", str(blocks), "1", str(fragments), "1", ""])
    print("disk driver sector failure holds holds storage\nname type size group metadata data status availability pool\n---- ----", file=out)
    for name, size, blocks, fragments, data, pair, state in disks:
        print(name, "nsd 512 1", "no yes" if data else "yes no", "ready", state, "p", file=out)
    print("\n File system   Disk name    NSD servers\n-----------", file=out)
    for name, size, blocks, fragments, data, pair, state in disks:
        print(" big   %s  %s" % (name, ",".join(pair)), file=out)
    print("\nDisk name     IO performed on node     Device             Availability\n------------  ---", file=out)
    for name, size, blocks, fragments, data, pair, state in disks:
        node = pair[0] if pair[0] != dead else pair[1]
        print(name, node if state == "up" else "-", "/dev/x", state, file=out)
        if data and state == "up":
            want["servers"][node] = want["servers"].get(node, 0) + 1
        if data:
            want["full"].append((100.0 * (size - blocks - fragments) / size, name))
counts = sorted(want["servers"].values())
mode = min(counts, key=lambda c: (-counts.count(c), c))
with open("want", "w") as f:
    print(json.dumps([len(want["full"]), round(sum(p for p, _ in want["full"]) / len(want["full"]) * 1e6),
        max(want["full"])[1], min(want["full"])[1], len(counts), mode,
        sum(c > mode for c in counts), sum(c < mode for c in counts)], separators=(",", ":")), file=f)
END
is "fullness and failovers as computed beside" \
    "$(baro health show cluster.txt -o json 2>said | jq -c '.[] | [.osts, (.mean_full_pct * 1e6 | round), .fullest, .emptiest, .servers, .osts_per_server, .overloaded_servers, .relieved_servers]'; cat said)" \
    "$(cat want)"
log_make=$BUILD/src/source/darshan/darshan_make
if [ -x "$log_make" ]; then
    "$log_make" 341 little zlib >job.darshan
    fs=$(baro job summarize -o json job.darshan | jq -r '.[0]._file_system')
    start=$(baro job summarize -o json job.darshan | jq -r '.[0].darshan_start_time')
    sed "s/BEGIN .*/BEGIN $((start - 60))/; s/big/$fs/" cluster.txt >own.txt
    is "a job's health is that of its file system" \
        "$(baro job summarize -o json --health own.txt job.darshan | jq -c '.[0] | [.fshealth_ost_count, .fshealth_ost_most_full_name, .fshealth_ost_fullness_lead_secs, .fshealth_refused]')" \
        "[88,$(jq -c '.[2]' want),60,null]"
else
    skip "a job's health" "built without tests"
fi
finish
