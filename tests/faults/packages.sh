#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The packages in a Debian 12 that has never seen them: a former version is installed, what
# can be started is started and stores rows, the administrator edits a file, the new version
# is installed over it, the rows are there, everything is removed and purged, and nothing
# but the users stays.  The .rpm packages of agent and command line are installed with their
# scriptlets, and erased.
# The former version is in FORMER, a directory of .deb files; without it, it is the new one
# with a lower number and older samples.  NEW (and RPM) are directories of packages that have
# been built, DEBIAN_ROOT what debootstrap made.
# Exit 0 held, 1 not, 77 this machine lacks root, debootstrap, packaging tools or a network.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
TOP=$(cd "$(dirname "$0")/../.." && pwd)
lacks() {
    echo "packages: $*: left out"
    exit 77
}
[ "$(id -u)" = 0 ] || lacks "only root can install packages into a root of its own"
for program in debootstrap dpkg-deb chroot curl; do
    command -v $program >/dev/null || lacks "$program is not installed"
done
mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) bookworm .*/\2/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
[ -n "$mirror" ] || lacks "this is no Debian 12"

# ---- a root ----
base=${DEBIAN_ROOT:-$TOP/build-soak/debian12}
if [ ! -x "$base/usr/bin/apt-get" ]; then
    rm -rf "$base"
    mkdir -p "$base"
    debootstrap --variant=minbase --include=ca-certificates bookworm "$base" "$mirror" \
        >"$SCRATCH/debootstrap" 2>&1 || {
        tail -n 3 "$SCRATCH/debootstrap"
        rm -rf "$base"
        lacks "debootstrap got no Debian 12 from the network"
    }
fi
root=$SCRATCH/root
cp -a --reflink=auto "$base" "$root" || exit 1
# It reads packages as this machine does.
rm -rf "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d
cp -a /etc/apt/sources.list* "$root/etc/apt/"
for file in $(grep -ls Acquire /etc/apt/apt.conf /etc/apt/apt.conf.d/*) /etc/resolv.conf /etc/hosts; do
    cp -L "$file" "$root$file"
done
cp -aL /etc/ssl/certs/. "$root/etc/ssl/certs/" 2>/dev/null # some are links into it
[ ! -d /usr/local/share/ca-certificates ] ||
    cp -aL /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
mkdir -p "$root/proc" "$root/dev"
at_exit "umount -l '$root/proc' '$root/dev'"
mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev" || lacks "nothing can be mounted here"
inside() {
    DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
}
apt() {
    inside apt-get -q -y --no-install-recommends -o Dpkg::Options::=--force-confold \
        -o Dpkg::Options::=--force-confdef -o APT::Sandbox::User=root "$@" \
        >"$SCRATCH/apt" 2>&1 </dev/null || {
        tail -n 15 "$SCRATCH/apt" | sed 's/^/# /'
        return 1
    }
}
apt update || lacks "apt-get update fails: there is no network"

# ---- packages ----
new=${NEW:-$SCRATCH/new}
if [ -z "${NEW:-}" ]; then
    "$TOP/scripts/package" "$new" >"$SCRATCH/package" 2>&1 || {
        tail -n 5 "$SCRATCH/package"
        lacks "scripts/package builds nothing here"
    }
fi
former=${FORMER:-$SCRATCH/former}
if [ -z "${FORMER:-}" ]; then
    mkdir "$former"
    for deb in "$new"/barograph-*_*.deb; do
        rm -rf "$SCRATCH/open"
        dpkg-deb -R "$deb" "$SCRATCH/open"
        sed -i 's/^Version: .*/Version: 0.0.9/' "$SCRATCH/open/DEBIAN/control"
        for sample in "$SCRATCH"/open/etc/barograph/*; do
            [ ! -f "$sample" ] || echo "# A line of the former version." >>"$sample"
        done
        dpkg-deb --root-owner-group -b "$SCRATCH/open" "$former" >/dev/null
    done
fi
put() { # DIRECTORY of .deb files
    rm -rf "$root/srv/debs"
    mkdir -p "$root/srv/debs"
    cp "$1"/barograph-*_*.deb "$root/srv/debs/"
    rm -f "$root"/srv/debs/*-dbgsym_*
    # shellcheck disable=SC2046 # names of packages
    apt install --allow-downgrades $(cd "$root" && printf "/%s\n" srv/debs/*.deb)
}
version() {
    inside dpkg-query -W -f '${Version}' barograph-server
}

# ---- the former version, and data ----
before=$(inside du -sk --one-file-system / | cut -f1)
ok "the former version is installed" put "$former"
echo "figure: installed version: $(version), $(($(inside du -sk --one-file-system / | cut -f1) - before)) KiB with all it needs"
was=$(version)
is "it made users and directories" \
    "$(inside sh -c 'stat -c "%U:%G %a %n" /etc/barograph /var/lib/barograph; id -un barograph barograph-health barograph-summarize 2>/dev/null || getent passwd barograph barograph-health barograph-summarize | cut -d: -f1 | sort')" \
    "root:root 755 /etc/barograph
barograph:barograph 751 /var/lib/barograph
barograph
barograph-health
barograph-summarize"
user="setpriv --reuid=barograph --regid=barograph --init-groups --no-new-privs --inh-caps=-all"
as_barograph() {
    # shellcheck disable=SC2086 # a command and its options
    inside $user "$@"
}
ok "barod's configuration is good as installed" as_barograph barod --check
socket=$root/run/barograph/barod.sock
get() {
    curl -sf --unix-socket "$socket" "http://x$1"
}
start_barod() {
    mkdir -p "$root/run/barograph"
    inside chown barograph:barograph /run/barograph
    # The loopback is this machine's: a port could be another's.
    # shellcheck disable=SC2086 # a command and its options
    chroot "$root" $user barod --set net.listen=none >>"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    at_exit "kill -9 $pid"
    wait_for 20 get /healthz
}
stop_barod() {
    kill -TERM "$pid" && wait "$pid"
}
ok "barod starts" start_barod
cat >"$root/srv/lctl" <<'END'
#!/bin/sh
case $* in
*job_cleanup_interval*) echo "obdfilter.scratch-OST0000.job_cleanup_interval=600" ;;
"get_param -N"*) echo "obdfilter.scratch-OST0000.job_stats" ;;
*job_stats*) cat /srv/dump ;;
esac
END
chmod +x "$root/srv/lctl"
begin=$(($(date +%s) - 3600))
observe() { # BYTES so far
    now=$(date +%s)
    cat >"$root/srv/dump" <<END
job_stats:
- job_id:          7
  snapshot_time:   $now.000000000 secs.nsecs
  start_time:      $begin.000000000 secs.nsecs
  elapsed_time:    $((now - begin)).000000000 secs.nsecs
  write_bytes:     { samples: 9, unit: bytes, min: 1, max: $1, sum: $1, sumsq: 1 }
END
    as_barograph baro-agent --once --config /dev/null --set agent.lctl=/srv/lctl --set agent.host=oss01 \
        --set agent.state=/var/lib/barograph/agent --set agent.spool=/var/lib/barograph/spool \
        --set agent.server=unix:/run/barograph/barod.sock
}
written() {
    inside baro jobstats rates --server unix:/run/barograph/barod.sock --by job --op write_bytes \
        --from "@$((begin - 60))" -o csv 2>/dev/null |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "write_bytes") column = i }
            END { print $column }'
}
echo job_stats: >"$root/srv/dump"
ok "the agent's configuration is good, too" inside baro-agent --check --set agent.lctl=/srv/lctl
ok "the agent reads, and barod takes it" observe 1000000
is "the job wrote that" "$(written)" 1000000
stored_samples() {
    seq 1 100 | sed 's/.*/cpu,hostname=n& value=1/' |
        curl -sf --data-binary @- --unix-socket "$socket" "http://x/api/write?cluster=site"
}
[ "$(get /healthz | head -c 1)" ] && stored_samples
echo "# The administrator's." >>"$root/etc/barograph/barod.conf"

# ---- the new version ----
ok "barod ends" stop_barod
ok "the new version is installed over it" put "$new"
is "and no part of the former is left" "$(inside dpkg-query -W -f '${Version}\n' 'barograph-*' | sort -u)" "$(version)"
ok "it is another" [ "$(version)" != "$was" ]
echo "figure: upgraded from $was to $(version)"
is "what the administrator edited is kept" "$(tail -n 1 "$root/etc/barograph/barod.conf")" "# The administrator's."
is "and what nobody edited is new" "$(grep -c 'of the former version' "$root/etc/barograph/baro-agent.conf")" 0
ok "barod's configuration is still good" as_barograph barod --check
ok "barod starts" start_barod
is "the rows are there" "$(written)" 1000000
ok "the agent goes on from where it was" observe 3000000
is "and its job with it" "$(written)" 3000000
ok "barod ends" stop_barod
ok "nothing is damaged" as_barograph baro records verify /var/lib/barograph/records.db
if inside sh -c 'command -v systemd-analyze' >/dev/null; then
    ok "systemd finds no fault in the units" inside sh -c 'systemd-analyze verify --man=no /lib/systemd/system/baro*.service'
fi

# ---- and out ----
ok "the packages are removed" apt remove 'barograph-*'
is "configuration and data stay" "$(inside sh -c 'ls /etc/barograph/*.conf /var/lib/barograph/records.db')" \
    "/etc/barograph/baro-agent.conf
/etc/barograph/barod.conf
/var/lib/barograph/records.db"
ok "they are purged" apt purge 'barograph-*'
rm -rf "$root/srv/debs"
is "no file of theirs stays" "$(find "$root" -xdev \( -iname '*barograph*' -o -name 'baro*' \) \
    ! -path '*/var/log/*' ! -path "$root/proc/*" -printf '%P\n' | sort)" ""
is "nor one that belongs to their users" "$(inside find / -xdev \( -user barograph -o -user barograph-health \
    -o -user barograph-summarize \))" ""
echo "figure: users that stay: $(inside getent passwd | grep -c ^barograph)"

# ---- .rpm: scriptlets run for real, in the same root ----
if command -v rpm >/dev/null && command -v rpmbuild >/dev/null; then
    rpms=${RPM:-$SCRATCH/rpm}
    [ -n "${RPM:-}" ] || ok "the .rpm packages are built" "$TOP/scripts/package" --rpm "$rpms"
    for user in barograph barograph-health barograph-summarize; do
        inside userdel -f "$user" >/dev/null 2>&1
    done
    ok "systemd is there for the scriptlets" apt install systemd
    rpm_in() {
        rpm --root "$root" --nodeps "$@" "$rpms"/barograph-[ac]*.rpm
    }
    ok "rpm finds no conflict" rpm_in --test -i
    ok "agent and command line are installed" rpm_in -i
    is "scriptlets made the users" "$(inside getent passwd | sed -n 's/^\(barograph[^:]*\):.*/\1/p' | sort | tr '\n' ' ')" \
        "barograph barograph-health barograph-summarize "
    is "and the directories" "$(inside stat -c '%U %a %n' /var/lib/barograph)" "barograph 751 /var/lib/barograph"
    ok "the agent says its version" inside baro-agent --version
    echo "# The administrator's." >>"$root/etc/barograph/baro-agent.conf"
    ok "the same again, as an upgrade" rpm_in -U --replacepkgs
    is "keeps what the administrator edited" "$(tail -n 1 "$root/etc/barograph/baro-agent.conf")" "# The administrator's."
    ok "they are erased" rpm --root "$root" --nodeps -e barograph-agent barograph-cli
    is "and only what was edited stays" "$(inside find /etc/barograph /usr/libexec/barograph /usr/share/barograph \
        /usr/bin/baro /usr/sbin/baro-agent -type f 2>/dev/null | tr '\n' ' ')" "/etc/barograph/baro-agent.conf.rpmsave "
    if command -v rpmlint >/dev/null; then
        rpmlint "$rpms"/barograph-[ac]*.rpm >"$SCRATCH/rpmlint" 2>&1
        echo "figure: rpmlint: $(tail -n 1 "$SCRATCH/rpmlint")"
    fi
else
    skip ".rpm packages" "rpm is not installed"
fi
finish
