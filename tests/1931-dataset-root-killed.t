#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The root of a diskless node, whose baro-datasetd is killed again and again while a program reads files of it:
# reads wait, are replayed, and have the right bytes; the kernel's log states it, and a file counts it.
# shellcheck source=tests/lib-uml.sh
. "$(dirname "$0")/lib-uml.sh"
uml_net_enter "$0"
PATH=$PATH:/usr/sbin:/sbin
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-dataset.sh
. "$(dirname "$0")/lib-dataset.sh"
requires openssl dracut
uml_requires nbd erofs
ok "programs that a node can run are built" uml_plain
chmod 755 "$SCRATCH"

root=$SCRATCH/root
uml_root "$root"
sums=$(sha256sum "$root"/data/part* | cut -c1-64 | tr '\n' ' ')
dataset=$(baro dataset create "$root" --tag root:v1 --access private 2>"$SCRATCH/create.log")
is "a root is a dataset" "${#dataset}" 64
openssl rand -hex 32 >"$SCRATCH/key"
chmod 600 "$SCRATCH/key"
ok "a server listens" serve origin "repository=$BARO_DATASETS" "key=$SCRATCH/key" insecure=yes \
    --set dataset.listen=10.99.0.1:7073
ok "dracut makes an initramfs" uml_initramfs
cp "$SCRATCH/key" "$SCRATCH/appended/etc/barograph/dataset.key"
uml_append keyed

uml_node killed keyed rdinit=/light root=baro:root:v1 guest=killed
ok "a node reads from its root" wait_for 30 uml_has_said killed kill
# The tag means another dataset from now on: under this root it does not.
mkdir "$SCRATCH/other"
other=$(baro dataset create "$SCRATCH/other" 2>>"$SCRATCH/create.log")
ok "its tag is moved" baro dataset tag root:v1 "$other"
ok "the node ends by itself" uml_wait killed 90
is "its server was killed six times" "$(uml_said killed kill | tail -n 1)" 6
ok "while files were read" test "$(uml_said killed passes)" -ge 6
is "each time they had their bytes" "$(uml_said killed parts)" "$sums"
is "what counts it has seven starts and connections, and the reason of the last end" "$(uml_said killed counted)" \
    "7 7 signal 9"
is "the log of the kernel has each end and each new connection" "$(uml_said killed logged)" "6 6"
is "which the kernel has" "$(uml_said killed reconnected)" 6
is "the kernel reported no error of a read" "$(uml_said killed errors)" 0
echo "# passes over 8 MB: $(uml_said killed passes); the last wait: $(uml_said killed waited) ms"
servers_end
finish
