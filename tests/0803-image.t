#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/image: an image layout whose digests are right, and out of which barod runs as its
# unprivileged user with nothing else there.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires python3 readelf curl unshare sha256sum awk
unshare -r -m true 2>/dev/null || skip_all "no user namespaces here"
[ -r /etc/ssl/certs/ca-certificates.crt ] || skip_all "no certificates of authorities here"

ok "the image is written" "$TOP/scripts/image" --barod "$BUILD/src/cmd/barod" "$SCRATCH/image.tar"
mkdir "$SCRATCH/layout" "$SCRATCH/root"
tar -C "$SCRATCH/layout" -xf "$SCRATCH/image.tar"
digests() {
    (cd "$SCRATCH/layout/blobs/sha256" && for blob in *; do echo "$blob  $blob"; done | sha256sum -c --quiet)
}
ok "every blob has the digest it is named by" digests
# From index.json to the manifest, to configuration and layer.
cat >"$SCRATCH/follow.py" <<'END_PYTHON'
import gzip, hashlib, json, os, sys
top = sys.argv[1] + "/"
def blob(it):
    data = open(top + "blobs/" + it["digest"].replace(":", "/"), "rb").read()
    assert len(data) == it["size"], it
    return data
assert json.load(open(top + "oci-layout"))["imageLayoutVersion"] == "1.0.0"
manifest = json.loads(blob(json.load(open(top + "index.json"))["manifests"][0]))
config = json.loads(blob(manifest["config"]))
layer = gzip.decompress(blob(manifest["layers"][0]))
assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()]
open(top + "layer.tar", "wb").write(layer)
print(config["config"]["User"], *config["config"]["Entrypoint"])
END_PYTHON
is "the manifest leads to its user and program" \
    "$(python3 "$SCRATCH/follow.py" "$SCRATCH/layout")" "65532:65532 /usr/sbin/barod"
owned() { # PATH
    tar --numeric-owner -tvf "$SCRATCH/layout/layer.tar" "$1" | awk '{ print $1, $2 }'
}
is "its data are the user's" "$(owned var/lib/barograph/)" "drwxr-x--- 65532/65532"
is "its program is root's" "$(owned usr/sbin/barod)" "-rwxr-xr-x 0/0"
is "there is no other program" "$(tar -tf "$SCRATCH/layout/layer.tar" | grep -E '(^|/)s?bin/.' | tr '\n' ' ')" \
    "usr/sbin/barod "

# As a container has it: that root, /proc, and the user; here its files are this user's.
tar -C "$SCRATCH/root" --no-same-owner -xf "$SCRATCH/layout/layer.tar"
mkdir "$SCRATCH/root/proc"
cat >"$SCRATCH/inside" <<'END_SH'
exec env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin ASAN_OPTIONS=detect_leaks=0 unshare -r -m sh -c 'mount --rbind /proc "$0/proc" &&
    exec unshare -U --map-user=65532 --map-group=65532 -R "$0" /usr/sbin/barod "$@"' "$@"
END_SH
inside() {
    sh "$SCRATCH/inside" "$SCRATCH/root" "$@"
}
is "barod runs in it" "$(inside --version)" "$(barod --version)"
ok "its configuration is good" inside --check
printf '[net]\nlisten = none\n' >"$SCRATCH/root/etc/barograph/barod.conf"
sh "$SCRATCH/inside" "$SCRATCH/root" >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit "kill $pid"
healthy() {
    curl -sf --unix-socket "$SCRATCH/root/run/barograph/barod.sock" http://x/healthz >"$SCRATCH/health"
}
ok "it answers /healthz on its socket" wait_for 20 healthy || sed 's/^/# /' "$SCRATCH/barod.log"
is "as the unprivileged user" "$(awk '{ print $1 }' "/proc/$pid/uid_map")" 65532
is "in that root" "$(readlink "/proc/$pid/root")" "$SCRATCH/root"
kill $pid
wait $pid
is "and ends when it is told to" "$?" 0

not_linked() { "$TOP/scripts/image" --barod "$TOP/scripts/test" "$SCRATCH/none.tar"; }
ok "what is no program is refused" not not_linked
mkdir "$SCRATCH/empty"
without() { "$TOP/scripts/image" --barod "$BUILD/src/cmd/barod" --root "$SCRATCH/empty" "$SCRATCH/none.tar"; }
without >"$SCRATCH/said" 2>&1
ok "a root without certificates is refused" grep -q 'install ca-certificates there' "$SCRATCH/said"
mkdir -p "$SCRATCH/empty/etc/ssl/certs"
echo none >"$SCRATCH/empty/etc/ssl/certs/ca-certificates.crt"
without >"$SCRATCH/said" 2>&1
ok "a root without the libraries is refused by their name" grep -q 'needs lib.*install its package' "$SCRATCH/said"
finish
