#!/bin/sh
# The documentation: man pages against the programs, formats, links between files.
. "$(dirname "$0")/lib.sh"
cd "$TOP" || exit 1
requires scdoc

ok "every option stands in its man page, and no other" tools/check-docs
ok "every key of barod's configuration stands in its man page" tools/check-config-docs
ok "the table of routes in rest.md is that of the OpenAPI document" tools/check-rest-table
sample() {
    sed '1,/^$/d' etc/barod.conf >"$SCRATCH/etc" && baro config sample | sed 's|/usr/local/libexec|/usr/libexec|' >"$SCRATCH/sample" &&
        diff -u "$SCRATCH/etc" "$SCRATCH/sample"
}
ok "etc/barod.conf is what baro config sample prints" sample
ok "and barod takes it" barod --config etc/barod.conf --set "records.path=$SCRATCH/r.db" \
    --set "net.socket=$SCRATCH/s" --set "store.directory=$SCRATCH/store" --check
units() {
    mkdir -p "$SCRATCH/units"
    for unit in barod baro-bmc baro-agent baro-datasetd baro-dataset-agent baro-abc baro-health baro-gpfs-record baro-summarize; do
        sed "s|@s*bindir@|$BUILD/src/cmd|; s|@libexecdir@|$TOP/etc|; /^Documentation=/d" "etc/systemd/$unit.service.in" \
            >"$SCRATCH/units/$unit.service"
    done
    cp etc/systemd/*.timer "$SCRATCH/units/"
    said=$(systemd-analyze verify "$SCRATCH"/units/*.service "$SCRATCH"/units/*.timer 2>&1) || [ -n "$said" ]
    [ -z "$said" ] || ! echo "$said" | grep "$SCRATCH\|^baro"
}
command -v systemd-analyze >/dev/null && ok "systemd finds nothing in the units" units
pages() {
    for page in doc/man/*.scd; do
        scdoc <"$page" >/dev/null || return 1
    done
}
ok "every man page can be made" pages
links() {
    bad=0
    for file in README.md ARCHITECTURE.md CONTRIBUTING.md SECURITY.md src/*/README.md \
        src/source/*/README.md doc/decisions/*.md doc/formats/*.md tests/sim/README.md; do
        [ -f "$file" ] || continue
        dir=$(dirname "$file")
        for link in $(sed -n 's/`[^`]*`//g; s/[^]]*](\([^)#]*\)[^)]*)/\1\n/gp' "$file" |
            grep -v '^\(https\{0,1\}:\|mailto:\)' | grep -E '^[A-Za-z0-9./_-]+$'); do
            [ -e "$dir/$link" ] || {
                echo "$file: there is no $link"
                bad=1
            }
        done
    done
    return $bad
}
ok "links between documents lead somewhere" links
rooms() {
    bad=0
    for room in src/*/ src/source/*/; do
        case $room in src/source/ | src/cmd/ | */test/) continue ;; esac
        [ -f "$room/README.md" ] || {
            echo "$room has no README.md"
            bad=1
        }
    done
    return $bad
}
ok "every room has a README" rooms
finish
