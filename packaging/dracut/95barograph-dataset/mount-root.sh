#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dracut sources this until there is a root.
# shellcheck disable=SC2154 # NEWROOT is dracut's
if [ -e /run/baro-dataset-root/attached ] && ! ismounted "$NEWROOT"; then
    /sbin/baro-dataset-root "$NEWROOT" ||
        die "barograph-dataset: the root cannot be mounted; the kernel's log has the reason"
fi
