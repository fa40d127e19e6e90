#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# root=baro:DATASET is a root that dracut gets when the network is up, by /sbin/baroroot.
# dracut sources this.  What cannot be right is reported before anything waits for it.
# shellcheck disable=SC2034,SC2154 # variables of dracut

[ -z "$root" ] && root=$(getarg root=)

case $root in
baro:?*)
    [ -n "$(getargs rd.baro.upstream=)" ] ||
        die "barograph-dataset: rd.baro.upstream=HOST:PORT is missing: where the dataset comes from"
    baro_writable=$(getarg rd.baro.writable=)
    case $baro_writable in
    '' | no | overlay) ;;
    snapshot)
        [ -n "$(getarg rd.baro.image=)" ] ||
            die "barograph-dataset: rd.baro.writable=snapshot needs rd.baro.image=PATH, an image of ext4 in the dataset"
        ;;
    *)
        die "barograph-dataset: rd.baro.writable=$baro_writable: invalid value (choose no, overlay, snapshot)"
        ;;
    esac
    unset baro_writable
    netroot=$root
    rootok=1
    echo '[ -e /run/baro-dataset-root/attached ]' >"$hookdir/initqueue/finished/baro-dataset.sh"
    ;;
esac
