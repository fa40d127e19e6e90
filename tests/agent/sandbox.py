#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# sandbox - a command under the restrictions of a systemd unit, made by hand.
#
#   sandbox.py UNIT [--bind FROM:TO ...] [--install FROM:TO ...] [--add LINE ...] -- CMD...
#   sandbox.py UNIT ... --exec -- ARGUMENT...
#
# Where no systemd runs, what a unit says of mounts, capabilities, users and system calls
# is done here with the kernel's own means, in a mount namespace that ends with the
# command.  --bind shows a directory in another place before the restrictions, as if the
# host had it there; --install copies a program to where ProtectHome and PrivateTmp do not
# hide it; --add adds a line to the unit.  --exec runs the unit's own ExecStart, in its
# Environment, with further arguments behind it.  --state keeps what it writes below
# /var/lib in this directory.  A line of [Service] that is not known here is
# an error, so that the unit cannot outgrow its test.
#
# Exit status: the command's; 77 and a line that says why where this cannot be done here.
import argparse
import ctypes
import ctypes.util
import os
import pwd
import re
import shutil
import subprocess
import sys

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWNET = 0x20000, 0x4000000, 0x40000000
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
EPERM, EAFNOSUPPORT = 1, 97
CMP_NE, CMP_EQ, CMP_MASKED_EQ = 1, 4, 7
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16}
NONE = "none"

# What does not change what can be read: limits, order, restarts.
IRRELEVANT = """ExecStart Restart RestartSec MemoryMax TasksMax Nice IOSchedulingClass
Type NotifyAccess WatchdogSec TimeoutStopSec LimitNOFILE Group StateDirectoryMode
SystemCallErrorNumber UMask OOMScoreAdjust KillMode TimeoutStartSec Environment
EnvironmentFile RestartPreventExitStatus""".split()


def cannot(why):
    print(f"sandbox: {why}")
    sys.exit(77)


def mount(*args):
    subprocess.run(["mount", *args], check=True)


def hide(path):
    """An empty directory, or an empty file, over it."""
    if os.path.isdir(path):
        mount("-t", "tmpfs", "-o", "mode=000,ro", "tmpfs", path)
    elif os.path.exists(path):
        mount("--bind", "/dev/null", path)


def read_only(path):
    if os.path.ismount(path):
        mount("-o", "remount,bind,ro", path)
    elif os.path.isdir(path):
        mount("--bind", path, path)
        mount("-o", "remount,bind,ro", path)


def mounts():
    def byte(octal):
        return chr(int(octal.group(1), 8))
    with open("/proc/self/mountinfo") as f:
        return sorted({re.sub(r"\\([0-7]{3})", byte, line.split()[4]) for line in f})


# ---- what the unit says ----

def read_unit(path, added):
    lines, section = [], None
    with open(path) as f:
        text = f.read().splitlines()
    for line in text + ["[Service]"] + added:
        line = line.strip()
        if line.startswith("["):
            section = line
        elif section == "[Service]" and line and line[0] not in "#;":
            lines.append(tuple(part.strip() for part in line.split("=", 1)))
    return lines


class Sandbox:
    def __init__(self, unit):
        self.unit = unit
        self.state, self.last = [], []
        for name, value in unit:
            if name not in IRRELEVANT and not hasattr(self, name):
                print(f"sandbox: the unit says {name}={value}, which is not known here")
                sys.exit(3)

    def values(self, name):
        return " ".join(v for n, v in self.unit if n == name).split()

    def says(self, name):
        return self.values(name)[-1:] in (["yes"], ["true"], ["strict"])

    # Mounts, in the order in which they may be made.
    MOUNTS = """StateDirectory PrivateTmp PrivateDevices PrivateNetwork ProtectHome
    ProtectHostname
    ProtectKernelTunables ProtectKernelLogs ProtectKernelModules ProtectControlGroups
    ProcSubset ProtectSystem""".split()
    CALLS = """RestrictAddressFamilies RestrictNamespaces RestrictRealtime
    RestrictSUIDSGID LockPersonality MemoryDenyWriteExecute ProtectClock
    SystemCallFilter""".split()

    def StateDirectory(self):
        mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", "/var/lib")
        for name in self.values("StateDirectory"):
            path = os.path.join("/var/lib", name)
            os.makedirs(path)
            if self.kept:
                kept = os.path.join(self.kept, name)
                os.makedirs(kept, exist_ok=True)
                os.chown(kept, self.uid, self.gid)
                os.chmod(kept, int((self.values("StateDirectoryMode") or ["755"])[0], 8))
                mount("--bind", kept, path)
            else:
                mount("-t", "tmpfs", "-o", f"mode=700,uid={self.uid},gid={self.gid}",
                      "tmpfs", path)
            self.state.append(path)

    def PrivateTmp(self):
        for path in ("/tmp", "/var/tmp"):
            mount("-t", "tmpfs", "-o", "mode=1777", "tmpfs", path)
            self.state.append(path)

    def PrivateDevices(self):
        os.mkdir("/srv/dev")
        mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", "/srv/dev")
        for name in ("null", "zero", "full", "random", "urandom", "tty"):
            open("/srv/dev/" + name, "w").close()
            mount("--bind", "/dev/" + name, "/srv/dev/" + name)
        mount("--rbind", "/srv/dev", "/dev")

    def PrivateNetwork(self):
        if self.libc.unshare(CLONE_NEWNET):
            cannot("network namespaces are not allowed")

    def ProtectHome(self):
        for path in ("/home", "/root", "/run/user"):
            if self.values("ProtectHome") == ["read-only"]:
                read_only(path)
            else:
                hide(path)

    def ProtectHostname(self):
        self.libc.unshare(CLONE_NEWUTS)

    def ProtectKernelTunables(self):
        for path in ("/proc/sys", "/sys"):
            read_only(path)
        for path in ("/sys/kernel/debug", "/sys/kernel/tracing", "/proc/kallsyms",
                     "/proc/kcore"):
            hide(path)

    def ProtectKernelLogs(self):
        for path in ("/proc/kmsg", "/dev/kmsg"):
            hide(path)

    def ProtectKernelModules(self):
        hide("/usr/lib/modules")

    def ProtectControlGroups(self):
        read_only("/sys/fs/cgroup")

    def ProcSubset(self):
        if self.values("ProcSubset") == ["pid"]:
            mount("-t", "proc", "-o", "subset=pid", "proc", "/proc")

    def ProtectSystem(self):
        if self.values("ProtectSystem") != ["strict"]:
            print("sandbox: only ProtectSystem=strict is known here")
            sys.exit(3)
        for path in mounts():
            if path.split("/")[1] not in ("proc", "sys", "dev") and not any(
                    path == s or path.startswith(s + "/") for s in self.state):
                subprocess.run(["mount", "-o", "remount,bind,ro", path],
                               stderr=subprocess.DEVNULL)

    # ---- system calls: filters beside one another, each allowing all but its own ----

    def filter(self, default=ALLOW):
        self.seccomp.seccomp_init.restype = ctypes.c_void_p
        return ctypes.c_void_p(self.seccomp.seccomp_init(default))

    def load(self, context):
        if self.seccomp.seccomp_load(context):
            cannot("the kernel takes no filter of system calls")

    def rule(self, context, action, name, *compare):
        class Compare(ctypes.Structure):
            _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int),
                        ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]
        number = self.seccomp.seccomp_syscall_resolve_name(name.encode())
        if number < 0:  # not on this machine
            return
        array = (Compare * max(len(compare), 1))(*[Compare(*c) for c in compare])
        rc = self.seccomp.seccomp_rule_add_array(
            context, ctypes.c_uint(action), number, len(compare), array)
        if rc:
            raise OSError(-rc, f"rule of {name}")

    def deny(self, rules, error=EPERM):
        context = self.filter()
        for name, *compare in rules:
            self.rule(context, ERRNO | error, name, *compare)
        self.load(context)

    def RestrictAddressFamilies(self):
        allowed = {FAMILIES[name] for name in self.values("RestrictAddressFamilies")}
        self.deny([("socket", (0, CMP_EQ, family, 0)) for family in range(46)
                   if family not in allowed], EAFNOSUPPORT)

    def RestrictNamespaces(self):
        flags = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000,
                 0x40000000)
        self.deny([("unshare",), ("setns",)]
                  + [("clone", (0, CMP_MASKED_EQ, flag, flag)) for flag in flags])

    def RestrictRealtime(self):
        self.deny([("sched_setscheduler", (1, CMP_EQ, policy, 0))
                   for policy in (1, 2, 6)])

    def RestrictSUIDSGID(self):
        self.deny([(name, (at, CMP_MASKED_EQ, bit, bit)) for bit in (0o4000, 0o2000)
                   for name, at in (("chmod", 1), ("fchmod", 1), ("fchmodat", 2),
                                    ("mkdir", 1), ("mkdirat", 2))])

    def LockPersonality(self):
        self.deny([("personality", (0, CMP_NE, 0, 0))])

    def MemoryDenyWriteExecute(self):
        self.deny([("mmap", (2, CMP_MASKED_EQ, 6, 6)),
                   ("mprotect", (2, CMP_MASKED_EQ, 4, 4)),
                   ("pkey_mprotect", (2, CMP_MASKED_EQ, 4, 4))])

    def ProtectClock(self):
        self.deny([(n,) for n in ("settimeofday", "clock_settime", "adjtimex",
                                  "clock_adjtime")])

    def SystemCallFilter(self):
        allowed, rest = set(), self.values("SystemCallFilter")
        while rest:
            name = rest.pop()
            if name.startswith("~"):
                print("sandbox: only filters that allow are known here")
                sys.exit(3)
            if not name.startswith("@"):
                allowed.add(name)
                continue
            said = subprocess.run(["systemd-analyze", "syscall-filter", name],
                                  capture_output=True, text=True)
            if said.returncode:
                cannot(f"systemd-analyze does not tell what {name} is")
            rest += [w for line in said.stdout.splitlines()[1:]
                     for w in line.split() if not line.strip().startswith("#")]
        context = self.filter(ERRNO | EPERM)
        # setpriv has yet to become the unit's user.
        for name in allowed | {"execve"}:
            self.rule(context, ALLOW, name)
        self.load(context)

    # ---- done by setpriv ----
    User = AmbientCapabilities = CapabilityBoundingSet = NoNewPrivileges = NONE
    SystemCallArchitectures = NONE  # a native program makes native calls

    def setpriv(self):
        def caps(name):
            return ",".join(["-all"] + ["+" + c.removeprefix("CAP_").lower()
                                        for c in self.values(name)])
        words = ["setpriv", "--reuid", str(self.uid), "--regid", str(self.gid),
                 "--clear-groups"]
        if any(name == "CapabilityBoundingSet" for name, _ in self.unit):
            words += ["--bounding-set", caps("CapabilityBoundingSet")]
        if self.uid != 0:
            words += ["--inh-caps", caps("AmbientCapabilities"),
                      "--ambient-caps", caps("AmbientCapabilities")]
        return words + (["--no-new-privs"] if self.says("NoNewPrivileges") else [])

    # ---- its own command ----

    def environment(self):
        # Of systemd's, what a program may look at.
        found = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin",
                 "LANG": "C.UTF-8"}
        for name, value in self.unit:
            lines = []
            if name == "Environment":
                lines = [value]
            elif name == "EnvironmentFile":
                with open(value) as f:
                    lines = f.read().splitlines()
            found.update(line.split("=", 1) for line in lines
                         if "=" in line and line[0] not in "#;")
        return found

    def exec_start(self, environment):
        """${NAME} is one word of its value, $NAME as many as there are in it."""
        words = []
        for word in self.values("ExecStart"):
            if re.fullmatch(r"\$\w+", word):
                words += environment.get(word[1:], "").split()
            else:
                words.append(re.sub(r"\$\{(\w+)\}",
                                    lambda m: environment.get(m.group(1), ""), word))
        return words

    def user(self):
        for name in self.values("User") + ["nobody"]:
            try:
                return pwd.getpwnam(name)
            except KeyError:
                pass  # not installed here: as good as nobody
        return cannot("there is no user to be")

    def enter(self, args):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.kept = args.state
        library = ctypes.util.find_library("seccomp")
        if not library:
            cannot("libseccomp is missing")
        self.seccomp = ctypes.CDLL(library)
        self.uid, self.gid = self.user()[2:4]
        if self.libc.unshare(CLONE_NEWNS):
            cannot("mount namespaces are not allowed: "
                   + os.strerror(ctypes.get_errno()))
        # In a chroot there is nothing to make private: mounts might be seen outside.
        if subprocess.run(["mount", "--make-rprivate", "/"],
                          stderr=subprocess.DEVNULL).returncode:
            cannot("the root directory is no mount, as in a chroot: mounts cannot be "
                   "kept from others")
        mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", "/srv")
        for words in args.install:
            source, to = words.split(":")
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(source, to)
        for words in args.bind:
            source, to = words.split(":")
            if not os.path.isdir(to):
                cannot(f"there is no {to} here to put Lustre's files into")
            mount("--bind", source, to)
        for name in self.MOUNTS:
            if self.values(name):
                getattr(self, name)()
        os.umask(int((self.values("UMask") or ["077"])[0], 8))
        os.chdir("/")
        for name in self.CALLS:
            if self.values(name):
                getattr(self, name)()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("unit")
    parser.add_argument("--bind", action="append", default=[])
    parser.add_argument("--install", action="append", default=[])
    parser.add_argument("--add", action="append", default=[])
    parser.add_argument("--exec", action="store_true")
    parser.add_argument("--state")
    own, command = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, command = own[:at], own[at + 1:]
    args = parser.parse_args(own)
    if not command and not args.exec:
        parser.error("a command is wanted, or --exec")
    sandbox = Sandbox(read_unit(args.unit, args.add))
    if os.geteuid() != 0:
        cannot("mount namespaces and other users need root")
    if not shutil.which("setpriv"):
        cannot("setpriv is missing")
    sandbox.enter(args)
    if args.exec:
        environment = sandbox.environment()
        command = sandbox.exec_start(environment) + command
        # For the sanitizers of a build that has them, not the unit's.
        environment.update((n, v) for n, v in os.environ.items()
                           if n.endswith("SAN_OPTIONS"))
        os.environ.clear()
        os.environ.update(environment)
    command = sandbox.setpriv() + command
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
