#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The kernel's 9P client (v9fs) under user-mode-linux: datasets as files, and one of them as a loop device with
# its files, whose origin ends and comes back meanwhile.
# shellcheck source=tests/lib-uml.sh
. "$(dirname "$0")/lib-uml.sh"
uml_net_enter "$0"
PATH=$PATH:/usr/sbin:/sbin
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires losetup
uml_requires 9p 9pnet_fd erofs loop
chmod 755 "$SCRATCH"
mkdir -p "$SCRATCH/tree/data"
for part in 0 1 2 3; do
    head -c 3000000 /dev/urandom >"$SCRATCH/tree/data/part$part"
done
sums=$(sha256sum "$SCRATCH"/tree/data/part* | cut -c1-64 | tr '\n' ' ')
dataset=$(baro dataset create "$SCRATCH/tree" --tag data:v1 2>"$SCRATCH/create.log")
mkdir "$SCRATCH/secret"
echo secret >"$SCRATCH/secret/file"
baro dataset create "$SCRATCH/secret" --tag secret:v1 --access private >"$SCRATCH/create.log" 2>&1
origin_start() {
    serve origin "repository=$BARO_DATASETS"
}
ok "an origin listens" origin_start
ok "and a forwarder, for 9P by TCP" serve leaf "upstream=unix:$SCRATCH/origin.sock" insecure=yes patience=60s memory=2MiB \
    --set dataset.9p=10.99.0.1:5640
small=$SCRATCH/small
mkdir -p "$small/usr" "$small/proc" "$small/sys" "$small/dev" "$small/mnt" "$small/modules/lib/modules" "$small/shared" "$small/image"
for name in bin sbin lib lib64; do
    ln -s "usr/$name" "$small/$name"
done
cp "$(command -v busybox)" "$small/busybox"
install -m 755 "$TOP/tests/uml/ninep-init" "$small/init"
uml_start client root=/dev/root rootfstype=hostfs "rootflags=$small" rw init=/init "shared=$uml_directory" \
    port=5640 "dataset=$dataset" tag=data:v1
ok "a node has a dataset as a loop device" wait_for 20 uml_has_said client ready
kill_server origin KILL
: >"$uml_directory/gone"
ok "it reads on while the origin is gone" wait_for 20 uml_has_said client reading
sleep 1
ok "what was not read waits" not uml_has_said client parts
ok "the origin is started again" origin_start
ok "the node ends by itself" uml_wait client
is "the kernel mounts it" "$(uml_said client mounted)" yes
is "a file has the image's size, and is only for reading" "$(uml_said client size)" \
    "$(baro dataset export "$dataset" - | wc -c) -r--r--r--"
is "it has the image's bytes" "$(uml_said client direct)" "$dataset"
is "names are not listed to a client that is not known" "$(uml_said client list)" 1
is "nothing is made, written or removed" "$(uml_said client written)" "no no no"
is "what there is not is not there" "$(uml_said client absent)" 1
is "a private dataset is not there" "$(uml_said client private)" 1
is "its image is mounted through a loop device" "$(uml_said client attached)" yes
is "files have their bytes, though the origin ended" "$(uml_said client parts)" "$sums"
is "the kernel reported no error" "$(uml_said client errors)" 0
is "no read ended with an error" "$(counter leaf 9p_errors_total)" 0
servers_end
finish
