#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# barograph-dataset - a dataset as the root of a diskless node; see doc/diskless.md.
# dracut sources this, and calls its functions while it makes an initramfs.
# shellcheck disable=SC2154 # moddir is dracut's

# It is no program for people, and in no directory of PATH.
device_program() {
    find_binary baro-dataset-nbd || { [ ! -x /usr/libexec/barograph/baro-dataset-nbd ] || echo /usr/libexec/barograph/baro-dataset-nbd; }
}

# Only where it is added by name: no running root needs it.
check() {
    [ -n "$(device_program)" ] || return 1
    require_binaries baro-datasetd losetup dmsetup blockdev getent || return 1
    return 255
}

depends() {
    echo network dm
}

# Those of the node's kernel that exist as modules; what this host has mounted is of no matter.
installkernel() {
    hostonly='' instmods nbd erofs loop overlay zram dm-mod dm-snapshot ext4 lzo-rle
}

install() {
    # Wherever it is installed here, on the node it is where the scripts find it.
    inst "$(find_binary baro-datasetd)" /usr/sbin/baro-datasetd
    inst "$(device_program)" /usr/libexec/barograph/baro-dataset-nbd
    inst_multiple losetup dmsetup blockdev getent mount umount mkdir rmdir cat cp grep rm chmod sed timeout
    inst_multiple -o fstrim
    inst_libdir_file "libnss_dns.so*" "libnss_files.so*"
    inst_hook cmdline 90 "$moddir/parse-root.sh"
    inst_hook mount 90 "$moddir/mount-root.sh"
    inst_script "$moddir/attach.sh" /sbin/baroroot
    inst_script "$moddir/mount.sh" /sbin/baro-dataset-root
    dracut_need_initqueue
}
