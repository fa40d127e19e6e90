#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every file that meson installs is in one Debian package, and no package names another.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires meson python3
meson introspect "$BUILD" --installed >"$SCRATCH/installed.json" 2>/dev/null ||
    skip_all "meson does not know what is installed"
meson introspect "$BUILD" --buildoptions >"$SCRATCH/options.json"
cat >"$SCRATCH/check.py" <<'END'
import fnmatch, glob, json, os, re, sys
top, installed, options = sys.argv[1:]
prefix = next(o["value"] for o in json.load(open(options)) if o["name"] == "prefix")
files = {os.path.join("usr", os.path.relpath(f, prefix))
         for f in json.load(open(installed)).values()}
files = {f.replace("usr/lib/systemd", "lib/systemd")
         .replace("zsh/site-functions", "zsh/vendor-completions") for f in files}
# Where Debian's Slurm has its plugins, wherever this build's libraries go.
files = {re.sub("^usr/lib.*/slurm(-wlm)?/", "usr/lib/any/slurm-wlm/", f) for f in files}
# debhelper installs these from etc/systemd; the parallel program is for one MPI.
files = {f for f in files if "sysusers.d" not in f and "tmpfiles.d" not in f
         and not f.endswith("baro-abc-mpi")}
patterns = [(os.path.basename(p), line.split()[0])
            for p in glob.glob(top + "/packaging/debian/*.install")
            for line in open(p) if line.strip() and not line.startswith("etc/")]
bad = 0
for f in sorted(files):
    found = [p for p, pattern in patterns
             if fnmatch.fnmatch(f, pattern) or f.startswith(pattern + "/")]
    if len(found) != 1:
        print(f, "is in", found or "no package")
        bad = 1
for package, pattern in patterns:
    if not any(fnmatch.fnmatch(f, pattern) or f.startswith(pattern + "/") for f in files):
        print(package, "names", pattern, "which is not installed")
        bad = 1
sys.exit(bad)
END
ok "every installed file is in one package, and what packages name is installed" \
    python3 "$SCRATCH/check.py" "$TOP" "$SCRATCH/installed.json" "$SCRATCH/options.json"
ok "the packages have the version of the source" \
    grep -q "^barograph ($(sed -n "s/^  version: '\(.*\)',/\1/p" "$TOP/meson.build"))" "$TOP/packaging/debian/changelog"
finish
