#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# /sbin/baroroot NETIF baro:DATASET NEWROOT: the dataset becomes /dev/nbd0.
# dracut calls it when an interface is up; of several interfaces the first one does.
#
#  servers ── chunks ──▶ baro-datasetd ── NBD, a unix socket ──▶ /dev/nbd0 ──▶ the root
#
# The kernel's peer is on this node and verifies what it hands on; servers that end, restart or
# cannot be reached are its matter, and the kernel sees a read that takes longer.
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
    [ -z "$forwarder" ] || kill "$forwarder" 2>/dev/null
    rm -rf "$state"
    exit 1
}
forwarder=

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

set -- --config /dev/null --set "dataset.nbd=unix:$state/nbd.sock" --set dataset.patience=never
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
    chmod 0600 "$key"
    set -- "$@" --set "dataset.key=$key"
fi
for setting in $(getargs rd.baro.set=); do
    set -- "$@" --set "dataset.$setting"
done

# A name that begins with @ is what systemd does not kill, at the change of roots and when the node
# goes down, where the process is root's; so it is, without any of root's capabilities.  Its log lines are
# the kernel's, with their priority: it has no other place that exists before and after.
mkdir -p /usr/lib/barograph
ln -sf /usr/sbin/baro-datasetd /usr/lib/barograph/@baro-datasetd
(
    echo -1000 >/proc/self/oom_score_adj
    cd /
    PATH=/usr/lib/barograph:$PATH JOURNAL_STREAM=kmsg exec setpriv --no-new-privs --inh-caps=-all \
        --bounding-set=-all @baro-datasetd "$@" </dev/null >/dev/kmsg 2>&1
) &
forwarder=$!
while [ ! -S "$state/nbd.sock" ]; do
    kill -0 "$forwarder" 2>/dev/null || give_up "baro-datasetd ended; the kernel's log has its reason"
    sleep 0.1
done
echo "$forwarder" >"$state/pid"

# While udev has the new device open, as each one that is new, the kernel refuses to connect it.
[ -b /dev/nbd0 ] || modprobe nbd
udevadm settle
# It waits here until a server has been reached.  No timeout: the kernel would end the connection.
info "barograph-dataset: waiting for the dataset $dataset"
tries=5
until nbd-client -unix "$state/nbd.sock" /dev/nbd0 -N "$dataset" -readonly -systemd-mark >/dev/kmsg 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || give_up "the dataset '$dataset' cannot be had; the kernel's log has the reason"
    sleep 0.5
done
[ "$(blockdev --getsize64 /dev/nbd0)" -gt 0 ] || give_up "/dev/nbd0 is empty"
# It was read at the start, no attempt needs it again, and it is nowhere else on this node.
[ -z "$key" ] || rm -f "$key"
echo "$dataset" >"$state/attached"
