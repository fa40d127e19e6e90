#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What packages do when they come and go: a purge removes what the units of the package have
# stored, scripts are shell, and rpm and dpkg disable the same units.  With PACKAGES=full they
# are built, installed, upgraded and purged in a fresh Debian (tests/faults/packages.sh).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
debian=$TOP/packaging/debian
spec=$TOP/packaging/rpm/barograph.spec

# package_of UNIT: which one installs it.
package_of() {
    for list in "$debian"/*.install; do
        while read -r pattern _; do
            # shellcheck disable=SC2254 # a pattern on purpose
            case lib/systemd/system/$1 in $pattern) basename "$list" .install ;; esac
        done <"$list"
    done
}
for unit in "$TOP"/etc/systemd/*.service.in; do
    name=$(basename "$unit" .in)
    package=$(package_of "$name")
    for directory in $(sed -n 's/^StateDirectory=//p' "$unit"); do
        # barod's directory is that of all: its own files are named.
        [ "$directory" != barograph ] || directory="barograph/records.db barograph/store"
        for place in $directory; do
            ok "$package, purged, removes /var/lib/$place of $name" \
                grep -q "/var/lib/$place\\( \\|\$\\)" "$debian/$package.postrm"
        done
    done
done
for script in "$debian"/*.postrm; do
    ok "$(basename "$script") is shell" sh -n "$script"
    ok "and ends at the first error" grep -qx 'set -e' "$script"
    is "and only a purge removes anything" \
        "$(sed '/= purge \]/,/^fi/d' "$script" | grep -c 'rm -rf\|rmdir')" 0
done

if command -v rpmspec >/dev/null; then
    rpmspec -P "$spec" >"$SCRATCH/spec"
    for scriptlet in post preun postun; do
        for package in agent cli; do
            sed -n "/^%$scriptlet $package\$/,/^%/p" "$SCRATCH/spec" | grep -v '^%' >"$SCRATCH/$scriptlet"
            ok "%$scriptlet of $package is shell" sh -n "$SCRATCH/$scriptlet"
            ok "and does something" grep -q '[a-z]' "$SCRATCH/$scriptlet"
        done
    done
    # What starts by itself has to end before its program goes.
    for unit in "$TOP"/etc/systemd/*.timer "$TOP"/etc/systemd/*.service.in; do
        name=$(basename "$unit" .in)
        grep -q '^\[Install\]' "$unit" && grep -q "/$name\$" "$SCRATCH/spec" || continue
        ok "%preun disables $name" sh -c "sed -n '/^%preun/,/^%post/p' '$SCRATCH/spec' | grep -q '$name'"
    done
else
    skip "scriptlets of the .rpm packages" "rpmspec is not installed"
fi

if [ "${PACKAGES:-}" = full ]; then
    "$TOP/tests/faults/packages.sh" >"$SCRATCH/full" 2>&1
    status=$?
    case $status in
    77) skip "packages in a fresh Debian" "$(sed -n 's/^packages: //p' "$SCRATCH/full" | tail -n 1)" ;;
    *) is "packages in a fresh Debian$(grep '^not ok' "$SCRATCH/full")" "$status" 0 ;;
    esac
fi
finish
