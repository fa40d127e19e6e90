#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# packaging/rpm/barograph.spec: what its own meson command installs is in its packages.
# PACKAGES=full builds them too, and installs both into an empty root.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires meson python3 scdoc rpmspec
spec=$TOP/packaging/rpm/barograph.spec

ok "rpm reads the specification" rpmspec -P "$spec"
cp "$SCRATCH/ok.out" "$SCRATCH/spec"
is "it describes agent and command line" \
    "$(rpmspec -q --builtrpms --qf '%{NAME} ' "$spec")" "barograph-agent barograph-cli "
is "they have the version of the source" "$(rpmspec -q --srpm --qf '%{VERSION}' "$spec")" \
    "$(sed -n "s/^  version: '\(.*\)',/\1/p" "$TOP/meson.build")"

# The meson command of %build, into a directory of this test's own.
sed -n '/^meson setup/,/[^\\]$/p' "$SCRATCH/spec" |
    sed "s|build-rpm|'$SCRATCH/build'|" >"$SCRATCH/setup"
configured() {
    grep -q '^meson setup' "$SCRATCH/setup" && (cd "$TOP" && sh -eu "$SCRATCH/setup")
}
ok "its meson command configures the source" configured
meson introspect "$SCRATCH/build" --installed >"$SCRATCH/installed.json" 2>/dev/null
cat >"$SCRATCH/check.py" <<'END_PYTHON'
import fnmatch, json, re, sys
installed, spec = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
# The sections by their head: "%install", "%files agent", ...
parts = re.split(r"(?m)^%(prep|build|install|pre\w*|post\w*|files|changelog)\b *(.*)$", spec)
sections = {(parts[i] + " " + parts[i + 1]).strip(): parts[i + 2]
            for i in range(1, len(parts), 3)}
root = re.compile(r"\S*/BUILDROOT/[^/\s]+(/\S+)")
files = set(installed.values())
for line in sections["install"].splitlines():
    paths = root.findall(line)
    if line.startswith("rm "):
        files -= set(paths)
    elif line.startswith("install "):
        files |= set(paths)
bad = 0
packages = {}
for head, text in sections.items():
    if head.startswith("files "):
        lines = [l for l in text.splitlines() if l.strip() and l[0] != "#"]
        packages[head[6:]] = [l.split()[-1] for l in lines
                              if not l.startswith(("%license", "%dir", "%changelog"))]
shared = ("/sysusers.d/", "/tmpfiles.d/")    # each package makes the users
for f in sorted(files):
    found = [n for n, patterns in packages.items()
             if any(fnmatch.fnmatch(f, p) or f.startswith(p + "/") for p in patterns)]
    wanted = len(packages) if any(s in f for s in shared) else 1
    if len(found) != wanted:
        print(f, "is in", found or "no package")
        bad = 1
for name, patterns in packages.items():
    for p in patterns:
        if not any(fnmatch.fnmatch(f, p) or f.startswith(p + "/") for f in files):
            print(name, "names", p, "which is not installed")
            bad = 1
sys.exit(bad or len(packages) != 2)
END_PYTHON
ok "every installed file is in one package, and what packages name is installed" \
    python3 "$SCRATCH/check.py" "$SCRATCH/installed.json" "$SCRATCH/spec"
if [ "${PACKAGES:-}" = full ]; then
    ok "the packages are built" "$TOP/scripts/package" --rpm "$SCRATCH/out"
    is "they need neither libnats, libpq, libmicrohttpd nor HDF5" "$(rpm -qpR "$SCRATCH"/out/barograph-[ac]*.rpm |
        grep -E '^lib(nats|pq|microhttpd|hdf5)')" ""
    empty_root() {
        rpm --root "$SCRATCH/root" --nodeps --noscripts -i "$SCRATCH"/out/barograph-[ac]*.rpm
    }
    mkdir "$SCRATCH/root"
    ok "both are installed into one root" empty_root
    is "and the programs run there" \
        "$("$SCRATCH/root/usr/sbin/baro-agent" --version && "$SCRATCH/root/usr/bin/baro" --version)" \
        "$(baro-agent --version && baro --version)"
fi
finish
