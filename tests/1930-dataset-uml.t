#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Diskless nodes under user-mode-linux: the kernel's NBD client reads datasets; a node boots from one
# with dracut's module, read-only, with a tmpfs above it, and with a snapshot in zram; servers end and come
# back meanwhile, and no read fails.
# shellcheck source=tests/lib-uml.sh
. "$(dirname "$0")/lib-uml.sh"
uml_net_enter "$0"
PATH=$PATH:/usr/sbin:/sbin
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires nbd-client mkfs.ext4 openssl
uml_requires nbd erofs zram dm-snapshot overlay loop
ok "programs that a node can run are built" uml_plain
chmod 755 "$SCRATCH"

# ---- a root, as a dataset and as an image of ext4 in a dataset ----
root=$SCRATCH/root
uml_root "$root"
sums=$(sha256sum "$root"/data/part* | cut -c1-64 | tr '\n' ' ')
sum() { echo "$sums" | cut -d' ' -f$(($1 + 1)); }
dataset=$(baro dataset create "$root" --tag root:v1 --access private 2>"$SCRATCH/create.log")
is "a root is a dataset" "${#dataset}" 64
mkdir "$SCRATCH/imaged"
mkfs.ext4 -q -b 4096 -O ^has_journal -d "$root" "$SCRATCH/imaged/root.ext4" 96M >/dev/null
image=$(baro dataset create "$SCRATCH/imaged" --tag image:v1 2>>"$SCRATCH/create.log")
is "so is an image of one" "${#image}" 64
public=$(mkdir -p "$SCRATCH/public/data" && cp "$root"/data/part? "$SCRATCH/public/data" &&
    baro dataset create "$SCRATCH/public" --tag data:v1 2>>"$SCRATCH/create.log")

openssl rand -hex 32 >"$SCRATCH/key"
chmod 600 "$SCRATCH/key"
server_start() {
    serve origin "repository=$BARO_DATASETS" "key=$SCRATCH/key" insecure=yes --set dataset.listen=10.99.0.1:7073 \
        --set dataset.nbd=10.99.0.1:10809
}
ok "a server listens" server_start

# ---- the kernel's client, to a server and to nbdkit above it ----
if command -v nbdkit >/dev/null; then
    nbdkit --foreground --ipaddr 10.99.0.1 --port 10810 --filter=cache nbd \
        "uri=nbd+unix:///$public?socket=$SCRATCH/origin.nbd" 2>"$SCRATCH/nbdkit.log" &
    echo $! >"$SCRATCH/uml/nbdkit.pid"
fi
small=$SCRATCH/small
mkdir -p "$small/usr" "$small/proc" "$small/sys" "$small/dev" "$small/mnt" "$small/modules/lib/modules"
for name in bin sbin lib lib64; do
    ln -s "usr/$name" "$small/$name"
done
cp "$(command -v busybox)" "$small/busybox"
install -m 755 "$TOP/tests/uml/client-init" "$small/init"
uml_start client root=/dev/root rootfstype=hostfs "rootflags=$small" rw init=/init \
    port=10809 nbdkit=10810 "dataset=$public" tag=data:v1
ok "a node with the kernel's NBD client ends by itself" uml_wait client
is "its device has the image's size, and is only read" "$(uml_said client size)" \
    "$(baro dataset export "$public" - | wc -c) 1"
is "the files have their digests" "$(uml_said client direct)" "$sums"
is "by the dataset's tag, too" "$(uml_said client tag)" "$sums"
if command -v nbdkit >/dev/null; then
    is "and through nbdkit, whose upstream is our server" "$(uml_said client nbdkit)" "$sums"
else
    skip "and through nbdkit, whose upstream is our server" "nbdkit is not installed"
fi
is "an export that there is not is refused" "$(uml_said client refused)" 1
is "the kernel reported no error" "$(uml_said client errors)" 0

# ---- an initramfs ----
if ! command -v dracut >/dev/null; then
    skip "a node boots by dracut's module" "dracut is not installed"
    servers_end
    finish
fi
ok "dracut makes an initramfs" uml_initramfs
uml_append keyless
cp "$SCRATCH/key" "$SCRATCH/appended/etc/barograph/dataset.key"
uml_append keyed
node_image=keyed
node_start() { # NAME ARGUMENT...
    node_name=$1
    shift
    uml_node "$node_name" "$node_image" "$@"
}

# ---- read-only, dracut from its start to the change of roots; servers end ----
node_start read root=baro:root:v1 guest=read
ok "a node has its root" wait_for 20 uml_has_said read root
is "which is the dataset, by NBD" "$(uml_said read root)" "/dev/nbd0 erofs"
ok "a file is read" wait_for 20 uml_has_said read part0
is "with its digest" "$(uml_said read part0)" "$(sum 0) "
is "nothing can be written" "$(uml_said read writable)" no
is "the process that serves it has no capabilities, is not ended where memory is short, and has systemd's mark" \
    "$(uml_said read process)" "0000000000000000 -1000 @baro-datasetd"
for part in 1 2 3; do
    wait_for 20 grep -q "guest: ready $part" "$SCRATCH/read.console"
    kill_server origin KILL
    touch "$uml_directory/gone$part"
    wait_for 20 grep -q "guest: reading $part" "$SCRATCH/read.console"
    sleep 1
    ok "without a server a read waits" not uml_has_said read "part$part"
    server_start
    wait_for 20 uml_has_said read "part$part"
    is "and has the file's bytes when it is back" "$(uml_said read "part$part")" "$(sum $part) "
done
ok "the node ends by itself" uml_wait read
is "the kernel reported no error" "$(uml_said read errors)" 0

# ---- writable; the module's scripts alone ----
node_start overlay rdinit=/light root=baro:root:v1 rd.baro.writable=overlay guest=overlay
ok "a node with a tmpfs above its root ends by itself" uml_wait overlay
is "its root is that" "$(uml_said overlay root)" "baro-root overlay"
is "below it is the dataset" "$(uml_said overlay parts)" "$sums"
is "files are changed, made and removed" "$(uml_said overlay changed)" "more new new part0 part2 part3 "
is "the kernel reported no error, either" "$(uml_said overlay errors)" 0

node_start snapshot rdinit=/light "root=baro:$image" rd.baro.writable=snapshot rd.baro.image=root.ext4 guest=snapshot
ok "a node whose root is a snapshot ends by itself" uml_wait snapshot
is "it is ext4 of the device mapper" "$(uml_said snapshot root)" "/dev/mapper/baro-root ext4"
is "with the files of the dataset" "$(uml_said snapshot parts)" "$sums"
is "what was written is read again" "$(uml_said snapshot reread)" equal
used=$(uml_said snapshot used)
ok "it lies in zram" test $(($(echo "$used" | cut -d' ' -f2) - $(echo "$used" | cut -d' ' -f1))) -gt 16000000
is "and what is deleted is given back" "$(uml_said snapshot given)" back
is "the dataset is as it was" "$(uml_said snapshot parts_again)" "$sums"
is "nor did the kernel report an error here" "$(uml_said snapshot errors)" 0

# ---- what is private needs the site's key ----
node_image=keyless
node_start keyless rdinit=/light root=baro:root:v1
ok "a node without the key ends" uml_wait keyless
is "and has no root" "$(uml_said keyless end)" "no root"
ok "which its console states" grep -q "the dataset 'root:v1' cannot be had" "$SCRATCH/keyless.console"
echo "# bytes of zram: at boot, with 16 MiB more, when they were deleted: $used"
servers_end
finish
