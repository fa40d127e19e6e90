#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro series show: what mmperfmon, mmpmon and LMT's servers print becomes series; an
# independent reader computes beside.
. "$(dirname "$0")/lib.sh"
requires python3
cd "$SCRATCH" || exit 1
unset TZ

# ---- texts of our own, and what is right ----
python3 - <<'END'
import random, io, tarfile, time
r = random.Random(11)
def csv(name, step, columns, cells):
    first, last = min(t for t, _ in cells), max(t for t, _ in cells)
    with open(name, "w") as f:
        f.write("time," + ",".join(columns) + "\n")
        for t in range(first, last + 1, step):
            f.write(str(t) + "".join("," + ("%.17g" % cells[t, c] if (t, c) in cells else "") for c in columns) + "\n")
# mmperfmon: two servers, 13 disks each, in pieces of 5 columns; a row's time ends it.
start = 1557921600
servers, cells, columns = {}, {}, []
for s in ("nsd1.site", "nsd2.site"):
    disks = ["lun%02d" % d for d in range(13)]
    lines = ["", "Legend:"] + [" %d:\t%s|GPFSNSDDisk|%s|gpfs_nsdds_bytes_read" % (i + 1, s, d) for i, d in enumerate(disks)]
    for at in range(0, 13, 5):
        piece = disks[at:at + 5]
        lines += [" ", "Row           Timestamp" + " gpfs_nsdds_bytes_read" * len(piece) + " "]
        for row in range(1, 61):
            t = start + 60 * row
            text = "%3d %s" % (row, time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime(t)))
            for d in piece:
                if r.random() < 0.05:
                    text += "                  null"
                else:
                    v = r.randrange(1 << r.randrange(1, 45))
                    text += " %21d" % v
                    cells[t - 60, d + "@" + s] = v
            lines.append(text + " ")
    servers[s] = "\n".join(lines) + "\n"
    columns += [d + "@" + s for d in disks]
csv("want.nsd", 60, columns, cells)
with tarfile.open("both.tgz", "w:gz") as tar:
    for s, text in servers.items():
        info = tarfile.TarInfo("a/folder/%s.out" % s)
        info.size = len(text)
        tar.addfile(info, io.BytesIO(text.encode()))
for s, text in servers.items():
    open(s + ".out", "w").write(text)
# mmpmon: three nodes, every 5 s and some, one mounts anew.
sums = {n: 1000 for n in ("n1", "n2", "n3")}
lines, want = [], {}
last = {}
for k in range(30):
    for n in sums:
        grown = r.randrange(1 << 30)
        if n == "n2" and k == 12:
            sums[n] = 17
            grown = None
        else:
            sums[n] += grown
        t = start + 5 * k + (r.randrange(-1, 2) if k else 0)
        lines.append("_fs_io_s_ _n_ 10.0.0.1 _nn_ %s _rc_ 0 _t_ %d _tu_ 1 _cl_ gpfs.site _fs_ scratch _d_ 48"
                     " _br_ %d _bw_ %d _oc_ 1 _cc_ 1 _rdc_ 2 _wc_ 3 _dir_ 4 _iu_ 5" % (n, t, sums[n], 2 * sums[n]))
        if k and grown is not None:
            want[start + 5 * (k - 1), "scratch@" + n] = 2 * grown
open("mmpmon.txt", "w").write("\n".join(lines) + "\n")
csv("want.mmpmon", 5, ["scratch@n1", "scratch@n2", "scratch@n3"], want)
END
show() { # MEASURE FILE...
    show_measure=$1
    shift
    baro series show --measure "$show_measure" "$@" 2>said
}
is "mmperfmon: every value in its step, pieces of tables put together" \
    "$(show datatargets/readbytes nsd1.site.out nsd2.site.out)" "$(cat want.nsd)"
is "the same out of an archive" "$(show datatargets/readbytes both.tgz | tr , '\n' | sort)" \
    "$(tr , '\n' <want.nsd | sort)"
mkdir -p dir/one dir/two
cp nsd1.site.out dir/one
gzip -c nsd2.site.out >dir/two/b.gz
is "and out of a folder" "$(show datatargets/readbytes dir | tr , '\n' | sort)" \
    "$(tr , '\n' <want.nsd | sort)"
is "mmpmon: growth in steps, whatever second it was read in; a new mount is not known" \
    "$(show clients/writebytes mmpmon.txt)" "$(cat want.mmpmon)"
is "a zone shifts what tells none" \
    "$(baro series show --zone Europe/Berlin -m datatargets/readbytes nsd1.site.out | sed -n 2p | cut -d, -f1)" \
    "$(($(sed -n 2p want.nsd | cut -d, -f1) - 7200))"
sed '20s/[0-9]$/x/; 21s/ [0-9][0-9]*/ 99999/2' mmpmon.txt >bad.txt
is "a line that cannot be read is named" "$(show clients/writebytes bad.txt >/dev/null; head -n 1 said)" \
    "baro: bad.txt:20: a count is none: $(sed -n 20p bad.txt | cut -c1-120)"
ok "a folder of nothing fails" sh -c 'mkdir none; ! baro series show none'
head -c 700 both.tgz >cut.tgz
ok "an archive that is cut fails" not baro series show cut.tgz
is "series of clients are archived and come back" \
    "$(baro series archive -o kept.hdf5 mmpmon.txt && show clients/writebytes kept.hdf5)" "$(cat want.mmpmon)"

# ---- LMT's strings: recorded ones where they are there, ours always ----
cat >ltop.py <<'END'
# How many bytes each target read in each step, and how many opens: read from a recording
# of LMT's strings, written anew from their description.
import sys, gzip
def told(path):
    seen = {}
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as f:
        for line in f:
            _, t, host, metric, text = line.rstrip("\n").split(" ", 4)
            f_ = text.split(";")
            if metric == "lmt_ost":
                rest = f_[4:]
                while len(rest) >= 15:
                    seen.setdefault(("r", rest[0]), []).append((int(t), int(rest[5])))
                    rest = rest[15:]
            elif metric == "lmt_mdt":
                rest, head = f_[4:], 5 if f_[0] == "1" else 6
                ops = 69 if f_[0] == "3" else 63
                while len(rest) >= head + ops:
                    seen.setdefault(("o", rest[0]), []).append((int(t), int(rest[head])))
                    rest = rest[head + ops:]
    return seen
total = {"r": 0, "o": 0}
for (kind, target), values in told(sys.argv[1]).items():
    values.sort(key=lambda v: v[0])
    last, last_t = None, None
    for t, v in values:
        if t == last_t or (v == 0 and last):
            last_t = t
            continue
        if last is not None and v >= last:
            total[kind] += v - last
        last, last_t = v, t
print(total["r"], total["o"])
END
lmt_totals() { # FILE: the sums of what ours has
    for lmt_measure in datatargets/readbytes mdtargets/opens; do
        show $lmt_measure "$1" | python3 -c 'import sys, csv
print(sum(int(float(v)) for row in list(csv.reader(sys.stdin))[1:] for v in row[1:] if v))'
    done | tr '\n' ' ' | sed 's/ $//'
}
own=$TOP/fuzz/corpus/lmt_metric/all
python3 - "$own" >own.log <<'END'
import sys
for line in open(sys.argv[1]):
    if " lmt_ost 2;" in line or " lmt_mdt " in line:
        print(line, end="")
END
is "strings of every version are understood" "$(show mdtargets/getattrs "$own" | head -n 1; cat said)" \
    "time,fs-MDT0000,fs-MDT0001,f-MDT0000,g-MDT0000,h-MDT0000"
is "an old server's operations stand elsewhere" \
    "$(show mdtargets/getattrs "$own" | sed -n 2p)" "999,100,200,100,100,100"
is "routers have a series" "$(show routers/bytes "$own" | tail -n 1)" "1004,100000"
is "totals are as computed beside" "$(lmt_totals own.log)" "$(python3 ltop.py own.log)"
printf '%s\n' "1000 999 a lmt_ost 3;a;1;2;" "1000 999 a lmt_gst 2;a" "1000 999 a lmt_ost 2;a;1;2;x;1;2;3" \
    "1000 x a lmt_ost 2;a" "1000 999 a lmt_router 1;a;1;2;-3" "1000 999 a lmt_ost 2;a;1;2;x;5;4;3;2;1" >faulty
is "each line that is none is counted" "$(cat own.log faulty >both; show mdtargets/opens both >/dev/null; tail -n 1 said)" \
    "baro: both: 6 lines could not be read"

if [ -z "$SHARED" ]; then
    skip "recorded texts" "no external data"
    finish
fi
for recording in tycho-newrecov.log.gz tycho-hypemount.log; do
    file=$SHARED/data/tokio/lmt/$recording
    is "$recording: totals are as computed beside" "$(lmt_totals "$file")" "$(python3 ltop.py "$file")"
    is "$recording: nothing is lost" "$(cat said)" ""
done
mkdir versions
tar xzf "$SHARED/data/tokio/lmt/lustre_versions.tar.gz" -C versions --wildcards '*/outputs/t10.exp'
for k in 0 5 10; do
    for exp in versions/*/*/outputs/t10.exp; do
        release=$(basename "$(dirname "$(dirname "$exp")")")
        sed -n "s/^\(ost\|mdt\|osc\|router\): \([0-9.]*;\)[^;]*\(.*\)/$((1000 + k)) $((1000 + k)) host lmt_\1 \2$release\3/p" "$exp"
    done
done >every
is "what servers of ten releases print is understood" \
    "$(show datatargets/readbytes every | head -n 1 | tr , '\n' | grep -c OST; show fullness/bytes every | head -n 1 | tr , '\n' | grep -c MDT; cat said)" \
    "$(grep -h '^ost: ' versions/*/*/outputs/t10.exp | grep -o '[a-z0-9]*-OST[0-9a-f]*' | sort -u | grep -vc '^$')
$(grep -h '^mdt: ' versions/*/*/outputs/t10.exp | grep -o '[a-z0-9]*-MDT[0-9a-f]*' | sort -u | grep -c .)"
cat >mmperfmon.py <<'END'
import sys, tarfile, gzip
# The sum of all values of a metric, out of every table of an archive or text.
def tables(path):
    if path.endswith(".tgz"):
        with tarfile.open(path) as tar:
            for m in tar:
                if m.isfile():
                    yield tar.extractfile(m).read().decode()
    else:
        yield gzip.open(path, "rt").read()
total = 0
for text in tables(sys.argv[1]):
    head = []
    for line in text.splitlines():
        w = line.split()
        if w[:1] == ["Row"]:
            head = w[2:]
        elif head and w and w[0].isdigit() and len(w) == 2 + len(head):
            total += sum(int(v) for n, v in zip(head, w[2:]) if n == sys.argv[2] and v != "null")
print(total)
END
inputs=$SHARED/data/tokio/pytokio/tests/inputs
sums() { # MEASURE FILE
    show "$1" "$2" | python3 -c 'import sys, csv
print(sum(int(float(v)) for row in list(csv.reader(sys.stdin))[1:] for v in row[1:] if v))'
}
for pair in mmperfmon-nsdds.txt.gz:gpfs_nsdds_bytes_read:datatargets/readbytes \
    mmperfmon.2019-05-15-micro.tgz:gpfs_nsdds_bytes_read:datatargets/readbytes \
    mmperfmon.2019-05-15-mini.tgz:gpfs_nsdds_bytes_written:datatargets/writebytes \
    mmperfmon-gpfsNumberOperations.txt.gz:gpfs_fs_read_ops:clients/readops; do
    file=${pair%%:*}
    metric=${pair#*:}
    is "$file: every ${metric%%:*} is in its series" \
        "$(sums "${metric#*:}" "$inputs/$file")" "$(python3 mmperfmon.py "$inputs/$file" "${metric%%:*}")"
done
is "the first minute of a row is before its time" \
    "$(show dataservers/memtotal "$inputs/mmperfmon-usage.txt.gz" | sed -n 2p)" "1547200740,31371000000"
is "load is user and system" "$(show dataservers/cpuload "$inputs/mmperfmon-usage.txt.gz" | sed -n 2p)" \
    "1547200740,0.76"
finish
