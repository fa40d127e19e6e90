#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# /sbin/baroroot NETIF baro:DATASET NEWROOT: the dataset becomes /dev/nbd0.
# dracut calls it when an interface is up; of several interfaces the first one does.
#
#  servers ── chunks ──▶ baro-datasetd ── NBD, a unix socket ──▶ /dev/nbd0 ──▶ the root
#                            ▲ starts it, again where it has ended
#                      baro-dataset-nbd ── netlink: another connection ──▶ the kernel
#
# The kernel's peer is on this node and verifies what it hands on; servers that end, restart or
# cannot be reached are its matter, and the kernel sees a read that takes longer.  So it does where
# the peer itself is killed: all that another one needs is in a tmpfs that has no path.
type getarg >/dev/null 2>&1 || . /lib/dracut-lib.sh
PATH=/usr/sbin:/usr/bin:/sbin:/bin
case $2 in
baro:?*) dataset=${2#baro:} ;;
*) exit 1 ;;
esac
state=/run/baro-dataset-root
# Where that is there, another interface's attempt is under way, or the root is attached.
mkdir -m 0700 "$state" 2>/dev/null || exit 0

# So that the next interface, or the next attempt, begins anew.
give_up() { # WHY
    warn "barograph-dataset: $1"
    # shellcheck disable=SC2046 # numbers
    [ -z "$holder" ] || kill "$holder" $(sed -n 's/^pid=\([1-9]\)/\1/p' "$state/server") 2>/dev/null
    umount -l "$programs" 2>/dev/null
    rm -rf "$state"
    exit 1
}
holder=
programs=$state/programs

uptime_s() { # whole seconds
    read -r uptime_now _ </proc/uptime
    echo "${uptime_now%.*}"
}

# What the resolver has of a host, as HOST:PORT.
resolved() { # HOST PORT
    timeout 5 getent ahosts "$1" | sed -n -e "s/^\([0-9.]*\) *STREAM.*/\1:$2/p" \
        -e "s/^\([0-9a-f:]*:[0-9a-f:]*\) *STREAM.*/[\1]:$2/p"
}

# The names of servers are resolved here: later the files that this needs are gone.  Name servers
# may reply some seconds after the link is up; a server that has no address by then is left out.
addresses() { # HOST:PORT
    addresses_host=${1%:*}
    case $addresses_host in
    unix | \[*) echo "$1" ;;
    *[!0-9.]*)
        addresses_until=$(($(uptime_s) + 15))
        until addresses_found=$(resolved "$addresses_host" "${1##*:}") && [ -n "$addresses_found" ]; do
            [ "$(uptime_s)" -lt "$addresses_until" ] || break
            sleep 1
        done
        [ -n "$addresses_found" ] || warn "barograph-dataset: no address of '$addresses_host' is known: it is left out"
        echo "$addresses_found"
        ;;
    *) echo "$1" ;;
    esac
}

# The root directory of baro-datasetd: the program, its libraries, the key.
libraries() { # PROGRAM
    LD_TRACE_LOADED_OBJECTS=1 "$1" | sed -n -e 's/^.*=> *\(\/[^ ]*\) .*/\1/p' -e 's/^[[:space:]]*\(\/[^ ]*\) .*/\1/p'
}
copy_in() { # FILE...
    for copied; do
        mkdir -p "$programs${copied%/*}" && cp -L "$copied" "$programs$copied" || return
    done
}
mkdir "$programs"
mount -t tmpfs -o mode=0700,size=64M baro-dataset-nbd "$programs" || give_up "a tmpfs cannot be mounted"
: >"$programs/config" # there is no /dev/null
[ ! -e /etc/ld.so.cache ] || copy_in /etc/ld.so.cache
# shellcheck disable=SC2046 # paths of libraries have no blank
copy_in /usr/sbin/baro-datasetd $(libraries /usr/sbin/baro-datasetd) ||
    give_up "baro-datasetd cannot be copied into memory"

set -- /usr/sbin/baro-datasetd --config /config --set dataset.nbd=unix:/nbd.sock --set dataset.patience=never
servers=0
for server in $(getargs rd.baro.upstream=); do
    for address in $(addresses "$server"); do
        set -- "$@" --set "dataset.upstream=$address"
        servers=$((servers + 1))
    done
done
[ "$servers" -gt 0 ] || give_up "rd.baro.upstream: there is no server, or none has an address"
key=$(getarg rd.baro.key=)
[ -n "$key" ] || [ ! -e /etc/barograph/dataset.key ] || key=/etc/barograph/dataset.key
if [ -n "$key" ]; then
    cp "$key" "$programs/key" || give_up "rd.baro.key: '$key' cannot be read"
    chmod 0600 "$programs/key"
    set -- "$@" --set dataset.key=/key
fi
for setting in $(getargs rd.baro.set=); do
    set -- "$@" --set "dataset.$setting"
done

# A name that begins with @ is what systemd does not kill, at the change of roots and when the node
# goes down, where the process is root's; so both are, baro-datasetd without any of root's capabilities.  Their
# log lines are the kernel's, with their priority: there is no other place before and after.
# While udev has the new device open, as each one that is new, the kernel refuses to connect it.
[ -b /dev/nbd0 ] || modprobe nbd
udevadm settle
mkdir -p /usr/lib/barograph
ln -sf /usr/libexec/barograph/baro-dataset-nbd /usr/lib/barograph/@baro-dataset-nbd
(
    echo -1000 >/proc/self/oom_score_adj
    cd /
    PATH=/usr/lib/barograph:$PATH JOURNAL_STREAM=kmsg exec @baro-dataset-nbd --dataset "$dataset" --name @baro-datasetd \
        --root "$programs" --socket /nbd.sock --status "$state/server" -- "$@" </dev/null >/dev/kmsg 2>&1
) &
holder=$!
# It waits here until a server has been reached.
info "barograph-dataset: waiting for the dataset $dataset"
until grep -qs '^state=connected' "$state/server"; do
    kill -0 "$holder" 2>/dev/null || give_up "the dataset '$dataset' cannot be had; the kernel's log has the reason"
    sleep 0.1
done
[ "$(blockdev --getsize64 /dev/nbd0)" -gt 0 ] || give_up "/dev/nbd0 is empty"
# From now on it has no path: it is there as long as these processes, and it is no mount that a
# shutdown has to unmount.
umount -l "$programs"
rmdir "$programs"
# No attempt needs the key again, and what reads it at another start has its own.
[ -z "$key" ] || rm -f "$key"
echo "$dataset" >"$state/attached"
