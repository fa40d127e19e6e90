#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# /sbin/baro-dataset-root NEWROOT: what is attached is mounted as the root.
#
#   writable=no        EROFS of /dev/nbd0, or the image in it
#   writable=overlay   the same below, a tmpfs above
#   writable=snapshot  the image in it, a loop device; what is written goes to zram by dm-snapshot,
#                      and what is deleted is given back: dm-snapshot zeroes it, zram frees it
type getarg >/dev/null 2>&1 || . /lib/dracut-lib.sh
PATH=/usr/sbin:/usr/bin:/sbin:/bin
exec >/dev/kmsg 2>&1
newroot=$1
state=/run/baro-dataset-root
writable=$(getarg rd.baro.writable=) || writable=no
image=$(getarg rd.baro.image=) || image=
flags=$(getarg rootflags=) || flags=
# Each page that is written needs memory: half of it is what is left to programs.
size=$(getarg rd.baro.size=) || size=50%
image=${image#/}
set -e # not before: dash would end getarg by it

# dm-snapshot accepts discards only where its origin does, though it hands none on; a loop device does
# where its file could be punched: one of EROFS cannot, one of an overlay above it could.
attach_image() {
    mkdir -p "$state/dataset" "$state/nothing" "$state/view"
    mount -t erofs -o ro /dev/nbd0 "$state/dataset"
    modprobe -q overlay || true
    mount -t overlay -o "ro,lowerdir=$state/nothing:$state/dataset" baro-view "$state/view"
    modprobe -q loop || true
    loop=$(losetup --find --show --read-only "$state/view/$image")
}

# Mounts what is only read on DIRECTORY.
mount_lower() { # DIRECTORY [FLAGS]
    mkdir -p "$1"
    if [ -n "$image" ]; then
        attach_image
        mount -o "ro${2:+,$2}" "$loop" "$1"
    else
        mount -t erofs -o "ro${2:+,$2}" /dev/nbd0 "$1"
    fi
}

size_bytes() {
    case $size in
    *%) echo $(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) * 1024 * ${size%\%} / 100)) ;;
    *) echo "$size" ;; # zram reads 512M and the like itself
    esac
}

# A chunk of 4 KiB is a block of zram and, at best, of the file system: what is written costs no more.
mount_snapshot() {
    modprobe -q zram num_devices=0 || true
    modprobe -q dm-mod || true
    modprobe -q dm-snapshot || true
    attach_image
    zram=$(cat /sys/class/zram-control/hot_add)
    size_bytes >"/sys/block/zram$zram/disksize"
    udevadm settle --exit-if-exists="/dev/zram$zram" || true
    dmsetup create baro-root --verifyudev --table \
        "0 $(blockdev --getsz "$loop") snapshot $loop /dev/zram$zram N 8 1 discard_zeroes_cow"
    mount -o "rw,discard${flags:+,$flags}" /dev/mapper/baro-root "$newroot"
}

modprobe -q erofs || true
case $writable in
overlay)
    modprobe -q overlay || true
    mount_lower "$state/lower"
    mkdir -p "$state/upper"
    mount -t tmpfs -o "mode=0755,size=$size" baro-root "$state/upper"
    mkdir "$state/upper/data" "$state/upper/work"
    mount -t overlay -o "lowerdir=$state/lower,upperdir=$state/upper/data,workdir=$state/upper/work${flags:+,$flags}" \
        baro-root "$newroot"
    ;;
snapshot) mount_snapshot ;;
*) mount_lower "$newroot" "$flags" ;;
esac
