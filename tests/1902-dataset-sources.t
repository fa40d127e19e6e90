#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Datasets out of archives, OCI layouts and squashfs images: the same dataset as of the directory that they
# were made of; layers with whiteouts; what is hostile is refused, and writes nothing outside.
. "$(dirname "$0")/lib.sh"
command -v mkfs.erofs >/dev/null || PATH=$PATH:/usr/sbin
requires mkfs.erofs mksquashfs tar zstd python3 jq
cd "$SCRATCH" || exit 1
BARO_DATASETS=$SCRATCH/store
export BARO_DATASETS
umask 022
create() { # SOURCE: its name; what it printed beside that is in err
    baro dataset create "$@" 2>err || sed 's/^/# /' err >&2
}

refused() { # SOURCE
    ! baro dataset create "$@" >/dev/null 2>err
}

mkdir -p "tree/sub dir" tree/locked tree/empty
seq 1 50000 >tree/numbers
echo 'echo hello' >tree/run
chmod 755 tree/run
ln -s 'sub dir/file' tree/link
ln -s /etc/passwd tree/outside
ln tree/numbers tree/same
echo text >"tree/sub dir/file"
printf 'x' >"tree/$(printf 'na\nme \\ \303\251')"
echo secret >tree/locked/file
chmod 640 tree/locked/file
chmod 555 tree/locked
name=$(create tree)
is "of a directory" "${#name}" 64

# ---- archives ----
tar -C tree -cf plain.tar .
tar -C tree -czf tree.tar.gz .
tar -C tree --zstd -cf tree.tar.zst .
tar -C tree --format=pax -cf pax.tar .
for archive in plain.tar tree.tar.gz tree.tar.zst pax.tar; do
    is "$archive is the same dataset" "$(create "$archive")" "$name"
done
baro dataset create plain.tar --tag code:tar 2>/dev/null >/dev/null
is "nothing of it is left" "$(ls store/staging)" ""
echo more >tree/more
tar -C tree -cf more.tar .
more=$(create more.tar)
ok "it is known of what it was made" eval 'baro dataset show "$more" | grep -q "mkfs.erofs" && baro dataset show "$more" | grep -q " of tar"'
is "what differs from the directory" "$(baro dataset diff "$name" "$more" -o csv | grep -c 'more')" 1
rm tree/more

# ---- squashfs ----
mksquashfs tree tree.sqfs -quiet -no-progress -all-root >/dev/null 2>&1
is "squashfs is the same dataset" "$(create tree.sqfs)" "$name"
head -c $(($(stat -c %s tree.sqfs) / 2)) tree.sqfs >half.sqfs
ok "half of one is refused" refused half.sqfs
ok "and why" grep -q "unsquashfs" err
baro dataset export "$name" tree.erofs 2>/dev/null
ok "an EROFS image is not unpacked" refused tree.erofs
ok "it is said what to do" grep -q "baro dataset import" err

# ---- a layout of OCI: three layers, the upper ones remove, replace, and write into a directory that is read-only ----
cat >layout.py <<'END'
# layout.py DIR NAME LAYER...: an OCI layout whose image has these archives; --add: one more in its index
import gzip, hashlib, json, os, sys
arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
layout, name, layers = arguments[0], arguments[1], arguments[2:]
os.makedirs(layout + "/blobs/sha256", exist_ok=True)
def blob(data):
    digest = hashlib.sha256(data).hexdigest()
    open(layout + "/blobs/sha256/" + digest, "wb").write(data)
    return digest
def descriptor(kind, data):
    return {"mediaType": "application/vnd.oci.image." + kind, "digest": "sha256:" + blob(data), "size": len(data)}
def text(value):
    return json.dumps(value).encode()
manifest = {"schemaVersion": 2, "config": descriptor("config.v1+json", b"{}"),
            "layers": [descriptor("layer.v1.tar+gzip", gzip.compress(open(path, "rb").read(), mtime=0)) for path in layers]}
entry = descriptor("manifest.v1+json", text(manifest))
entry["annotations"] = {"org.opencontainers.image.ref.name": name}
for option in sys.argv:
    if option.startswith("--arch="):
        entry["platform"] = {"os": "linux", "architecture": option[7:]}
if "--nested" in sys.argv:
    entry = descriptor("index.v1+json", text({"schemaVersion": 2, "manifests": [entry]}))
path = layout + "/index.json"
known = json.load(open(path))["manifests"] if os.path.exists(path) else []
open(path, "w").write(json.dumps({"schemaVersion": 2, "manifests": known + [entry]}))
open(layout + "/oci-layout", "w").write('{"imageLayoutVersion": "1.0.0"}')
END
mkdir -p low/etc low/old/deep low/whole/sub low/locked low/usr/lib mid/etc mid/whole mid/locked mid/lib want
echo 1 >low/etc/one
echo 2 >low/etc/two
echo 3 >low/old/deep/three
echo 4 >low/whole/sub/four
echo 5 >low/whole/five
echo 6 >low/locked/six
ln -s usr/lib low/lib
mkdir low/turns
echo 7 >low/turns/seven
echo 'new two' >mid/etc/two
: >mid/etc/.wh.one
: >mid/.wh.old
: >mid/whole/.wh..wh..opq
echo 8 >mid/whole/eight
echo 9 >mid/locked/nine
echo 'a file now' >mid/turns
rmdir mid/lib
chmod 555 low/locked mid/locked
mkdir -p up/lib
echo 10 >up/lib/ten
tar -C low -cf low.tar .
tar -C mid -cf mid.tar .
# No entry of the directory: it leads through the link of the layer below.
tar -C up -cf up.tar lib/ten
mkdir -p want/etc want/whole want/locked want/usr/lib
echo 'new two' >want/etc/two
echo 8 >want/whole/eight
echo 6 >want/locked/six
echo 9 >want/locked/nine
echo 'a file now' >want/turns
echo 10 >want/usr/lib/ten
ln -s usr/lib want/lib
chmod 555 want/locked
image=$(create want)
python3 layout.py oci v1 low.tar mid.tar up.tar
is "a layout is the dataset of its layers, one over the other" "$(create oci)" "$image" ||
    baro dataset diff "$image" "$(create oci)" | sed 's/^/# /'
if [ "$(id -u)" = 0 ]; then
    mkdir -m 777 users
    chmod 755 "$SCRATCH"
    is "an ordinary user's is the same" \
        "$(setpriv --reuid 65534 --clear-groups env BARO_DATASETS="$SCRATCH/users/store" "$(command -v baro)" dataset create oci 2>err)" "$image"
    is "of hers nothing is left" "$(ls users/store/staging)" ""
else
    skip "an ordinary user's is the same" "not root"
    skip "of hers nothing is left" "not root"
fi
python3 layout.py oci v0 low.tar
ok "one of two is wanted by its name" refused oci
ok "the names are in the error" grep -q "v1, v0" err
is "by its name" "$(create oci:v1)" "$image"
ok "a name that there is not" refused oci:v7
ok "is in the error" grep -q "no image 'v7'" err
python3 layout.py two latest mid.tar low.tar --arch=s390x
python3 layout.py two latest low.tar mid.tar up.tar "--arch=$(case $(uname -m) in x86_64) echo amd64 ;; aarch64) echo arm64 ;; *) uname -m ;; esac)"
is "of several the one for this processor" "$(create two:latest)" "$image"
python3 layout.py nested v1 low.tar mid.tar up.tar --nested
is "an index in the index" "$(create nested)" "$image"
layer=$(for blob in oci/blobs/sha256/*; do
    [ "$(head -c 2 "$blob" | od -An -tx1)" = " 1f 8b" ] && echo "$blob" && break
done)
chmod 644 "$layer"
printf 'x' >>"$layer"
ok "a layer that was changed is refused" refused oci:v1
ok "by its path" grep -q "blobs/sha256/.*SHA-256 is not its name" err

# ---- a new version ----
baro dataset view "$name" plain set GREETING=hello >view.err 2>&1 || sed 's/^/# /' view.err
baro dataset create tree --label site=alex --label phase=1 --tag code:v1 >/dev/null 2>&1
baro dataset access "$name" private >/dev/null 2>&1
cp -a tree tree2
echo changed >tree2/run
echo added >tree2/added
next=$(baro dataset update code:v1 tree2 --label phase=2 2>err)
ok "another one" test "${#next}" = 64 -a "$next" != "$name"
ok "how much differs is printed" grep -q '^2 paths differ from code:v1' err
fact() { baro dataset show "$1" -o json | jq -r --arg f "$2" '.[] | select(.fact == $f) | .value'; }
is "its parent" "$(fact "$next" parent)" "$name"
is "labels are its parent's, and its own" "$(fact "$next" 'label site') $(fact "$next" 'label phase')" "alex 2"
is "who may read it" "$(fact "$next" access)" private
is "its views" "$(baro dataset view "$next" -o json | jq -c '[.[] | [.view, .variable, .value]]')" '[["plain","GREETING","hello"]]'
is "no tag moved" "$(fact "$name" tag | grep -c '^code:v1$')" 1
is "the tag moves if it is named" "$(fact "$(baro dataset update code:v1 tree2 --tag code:v1 2>err)" tag)" code:v1
ok "there was nothing new" grep -q "there already" err
is "the same files are no new version" "$(baro dataset update "$next" tree2 2>err) $(fact "$next" parent)" "$next $name"
echo open >tree2/open
is "or who is named" "$(fact "$(baro dataset update "$next" tree2 --access public 2>err)" access)" public
ok "of one that is not there" not baro dataset update nosuch tree2
ok "the repository is whole with it" baro dataset fsck

# ---- hostile ----
cat >hostile.py <<'END'
import io, sys, tarfile
def add(archive, name, data=None, kind=tarfile.REGTYPE, link="", mode=0o644):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, link, mode
    info.size = len(data or b"") if kind == tarfile.REGTYPE else 0
    archive.addfile(info, io.BytesIO(data or b""))
def make(path, *entries):
    with tarfile.open(path, "w") as archive:
        for entry in entries:
            add(archive, *entry[:1], **entry[1])
out = sys.argv[1]
make("up.tar", ("../escaped", {"data": b"x"}))
make("inner.tar", ("a/../../escaped", {"data": b"x"}))
make("link.tar", ("door", {"kind": tarfile.SYMTYPE, "link": out}), ("door/escaped", {"data": b"x"}))
make("door.tar", ("door", {"kind": tarfile.SYMTYPE, "link": out}))
make("through.tar", ("door/escaped", {"data": b"x"}))
make("white.tar", ("door/.wh.victim", {"data": b""}))
make("opaque.tar", ("door/.wh..wh..opq", {"data": b""}))
make("whiteup.tar", (".wh..", {"data": b""}), (".wh...", {"data": b""}), ("sub/.wh.../", {"data": b""}))
make("hard.tar", ("hard", {"kind": tarfile.LNKTYPE, "link": out + "/victim"}))
make("up2.tar", ("s", {"kind": tarfile.SYMTYPE, "link": "../../.."}))
make("steal.tar", ("stolen", {"kind": tarfile.LNKTYPE, "link": "s/catalogue.db"}))
make("device.tar", ("null", {"kind": tarfile.CHRTYPE, "mode": 0o666}))
make("setuid.tar", ("su", {"data": b"x", "mode": 0o4755}))
open("noise.tar", "wb").write(bytes(range(256)) * 40)
open("empty.tar", "wb").close()
END
mkdir outside
echo victim >outside/victim
python3 hostile.py "$SCRATCH/outside"
for archive in up.tar inner.tar link.tar hard.tar device.tar setuid.tar noise.tar; do
    ok "$archive is refused" refused "$archive"
    ok "with a reason" test "$(wc -c <err)" -gt 40
done
python3 layout.py evil through door.tar through.tar
python3 layout.py evil white door.tar white.tar
python3 layout.py evil opaque door.tar opaque.tar
for attack in through white opaque; do
    ok "a link of a layer below leads nowhere: $attack" refused "evil:$attack"
    ok "which is said: $attack" grep -q "leads out of the directory" err
done
python3 layout.py evil steal up2.tar steal.tar
ok "a hard link through a link of a layer below takes nothing out of the repository" refused evil:steal
truncate -s 8E huge 2>/dev/null || truncate -s 4T huge
tar --sparse -cf sparse.tar huge
rm huge
ok "a file of holes that no disk can have is refused" refused sparse.tar
ok "and why" grep -qE "stay free|File too large|Cannot|too large" err
python3 layout.py odd v1 low.tar whiteup.tar
baro dataset create odd >/dev/null 2>err
ok "dots are no names" test "$(find store -maxdepth 1 -name catalogue.db)" = store/catalogue.db
is "nothing outside was written or removed" "$(ls outside) $(cat outside/victim) $(find . -name escaped)" "victim victim "
printf '{"manifests":[{"digest":"sha256:../../../../etc/passwd"}]}' >evil/index.json
ok "a digest is no path" refused evil
printf '{"manifests":[' >evil/index.json
ok "half of an index" refused evil
is "nothing is left" "$(ls store/staging)" ""
ok "the repository is whole" baro dataset fsck
finish
