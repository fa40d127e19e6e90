# SPDX-License-Identifier: Apache-2.0
# lib-uml.sh - nodes under user-mode-linux: a kernel of their own, with NBD, device mapper and zram.
#
#   uml_net_enter "$0"            first line: the test runs again in a network namespace of its own
#   uml_plain                     $plain/src/cmd has programs without sanitizers, which a node can run
#   uml_start NAME ARGUMENT...    boots a node with these arguments of its kernel; its console is
#                                 $SCRATCH/NAME.console, its address 10.99.0.2, this host's 10.99.0.1
#   uml_wait NAME                 until it has powered off; 1 where it had to be killed
#   uml_said NAME WORD            what its console has behind "guest: WORD "
#   uml_root DIRECTORY            a root with busybox, tests/uml/init and four files of noise
#   uml_initramfs                 $SCRATCH/node.img, with dracut's module
#   uml_append NAME               $SCRATCH/NAME.img: the same with what is in $SCRATCH/appended
#   uml_node NAME IMAGE ARGUMENT...   boots a node with the initramfs IMAGE.img, whose server is origin:7073
#
# $uml_directory is /shared to a node that mounts it (hostfs).
# shellcheck shell=sh

uml_net_enter() {
    [ -z "$BARO_TEST_NET" ] && unshare -n true 2>/dev/null && exec unshare -n env BARO_TEST_NET=1 sh "$1"
}

uml_modules=/usr/lib/uml/modules
uml_requires() {
    [ "$(id -u)" = 0 ] || skip_all "only root can make a tap device"
    [ -n "$BARO_TEST_NET" ] || skip_all "no network namespaces here"
    requires linux.uml busybox ip
    uml_release=$(ls "$uml_modules" 2>/dev/null)
    [ -d "$uml_modules/$uml_release/kernel" ] || skip_all "user-mode-linux has no modules in $uml_modules"
    for uml_module in "$@"; do
        find "$uml_modules/$uml_release" -name "$uml_module.ko*" | grep -q . ||
            skip_all "the kernel of user-mode-linux has no $uml_module"
    done
    ip link set lo up
    ip tuntap add dev uml0 mode tap && ip addr add 10.99.0.1/24 dev uml0 && ip link set uml0 up ||
        skip_all "no tap device can be made (/dev/net/tun)"
    uml_directory=$SCRATCH/shared
    mkdir "$uml_directory" "$SCRATCH/uml"
    uml_preload=
    # The kernel of Debian 12 panics at its first process on processors with AMX.
    if grep -q amx_tile /proc/cpuinfo; then
        ${CC:-cc} -shared -fPIC -O2 -o "$SCRATCH/uml/xstate.so" "$TOP/tests/uml/xstate.c" ||
            skip_all "no C compiler for a processor with AMX"
        uml_preload=$SCRATCH/uml/xstate.so
    fi
    at_exit 'for pid in "$SCRATCH"/uml/*.pid; do uml_kill "$(basename "$pid" .pid)"; done'
}

# A process under user-mode-linux has 512 GB of addresses; AddressSanitizer needs 16 TB.
uml_plain() {
    plain=$BUILD
    grep -q __asan_init "$BUILD/src/cmd/baro-datasetd" || return 0
    plain=$BUILD/plain
    [ -f "$plain/build.ninja" ] ||
        CC="$(command -v ccache) ${CC:-gcc}" meson setup "$plain" "$TOP" -Dtests=disabled >"$SCRATCH/plain.log" 2>&1
    ninja -C "$plain" src/cmd/baro-datasetd src/dataset/device/baro-dataset-nbd >>"$SCRATCH/plain.log" 2>&1 || {
        tail -n 20 "$SCRATCH/plain.log"
        return 1
    }
}

uml_start() {
    uml_name=$1
    shift
    # Its memory is a file without a name in /dev/shm; gro: without it TCP stalls.
    env -u TMPDIR "LD_PRELOAD=$uml_preload" setsid linux.uml "umid=$uml_name.$$" "uml_dir=$SCRATCH/uml/" mem=512M \
        vec0:transport=tap,ifname=uml0,gro=1,depth=256 con0=fd:0,fd:1 con=null quiet "$@" \
        </dev/null >"$SCRATCH/$uml_name.console" 2>&1 &
    echo $! >"$SCRATCH/uml/$uml_name.pid"
}

# Its processes are traced by the first of them: where that has to be killed, they stay.
uml_kill() {
    kill -TERM "$(cat "$SCRATCH/uml/$1.pid")"
    sleep 1
    pkill -KILL -f "^linux.uml umid=$1\.$$ "
    rm -f "$SCRATCH/uml/$1.pid"
}

uml_ended() {
    ! kill -0 "$(cat "$SCRATCH/uml/$1.pid")"
}

uml_wait() {
    wait_for "${2:-20}" uml_ended "$1" && rm "$SCRATCH/uml/$1.pid" && return
    uml_kill "$1"
    tail -n 40 "$SCRATCH/$1.console"
    return 1
}

uml_said() {
    tr -d '\r' <"$SCRATCH/$1.console" | sed -n "s/^guest: $2 //p"
}

uml_has_said() {
    [ -n "$(uml_said "$1" "$2")" ]
}

uml_root() {
    mkdir -p "$1/bin" "$1/sbin" "$1/proc" "$1/sys" "$1/dev" "$1/run" "$1/tmp" "$1/shared" "$1/data"
    cp "$(command -v busybox)" "$1/bin/busybox"
    for uml_link in sh awk cat cp cut dd dmesg echo grep head ln ls mount poweroff rm sed sha256sum sleep sort sync tail touch tr; do
        ln -s busybox "$1/bin/$uml_link"
    done
    install -m 755 "$TOP/tests/uml/init" "$1/sbin/init"
    for uml_part in 0 1 2 3; do
        head -c 2000000 /dev/urandom >"$1/data/part$uml_part"
    done
}

uml_initramfs() {
    mkdir "$SCRATCH/dracut"
    cp -R /usr/lib/dracut/. "$(command -v dracut)" "$SCRATCH/dracut"
    cp -R "$TOP/packaging/dracut/95barograph-dataset" "$SCRATCH/dracut/modules.d/"
    mkdir -p "$SCRATCH/none" "$SCRATCH/lib"
    ln -s "$uml_modules" "$SCRATCH/lib/modules" # dracut wants that path
    # As iPXE appends a file: a cpio archive of its own.
    mkdir -p "$SCRATCH/appended/etc/barograph"
    cp "$TOP/tests/uml/light-init" "$SCRATCH/appended/light"
    echo "10.99.0.1 origin" >"$SCRATCH/appended/etc/hosts" # a name, which is resolved before the root is there
    DRACUT_PATH="$plain/src/cmd $plain/src/dataset/device /sbin /bin /usr/sbin /usr/bin" "$SCRATCH/dracut/dracut" --local \
        --no-hostonly --no-hostonly-cmdline --no-compress --no-early-microcode \
        --kmoddir "$SCRATCH/lib/modules/$uml_release" \
        --modules "dash base udev-rules network network-legacy barograph-dataset" \
        --conf /dev/null --confdir "$SCRATCH/none" --tmpdir "$SCRATCH" "$SCRATCH/node.img" "$uml_release"
}

uml_append() {
    (cd "$SCRATCH/appended" && find . | busybox cpio -o -H newc 2>/dev/null) | cat - "$SCRATCH/node.img" >"$SCRATCH/$1.img"
}

uml_node() {
    uml_node_name=$1
    uml_node_image=$2
    shift 2
    uml_start "$uml_node_name" "initrd=$SCRATCH/$uml_node_image.img" \
        ip=10.99.0.2::10.99.0.1:255.255.255.0:node1:vec0:none rd.baro.upstream=origin:7073 rd.baro.set=memory=4MiB \
        "shared=$uml_directory" panic=1 rd.shell=0 rd.emergency=poweroff "$@"
}
