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
# /var/lib in this directory, and what it writes below /run in its directory "run".  A line
# of [Service] that is not known here is an error, so that the unit cannot outgrow its test.
#
# A system call that SystemCallFilter denies ends the command with SIGSYS, also where the
# unit has SystemCallErrorNumber, which would only hide that the program needs the call;
# --errors returns the error as the unit has it.
#
# Exit status: the command's; 77 and a line that says why where this cannot be done here.
import argparse
import ctypes
import ctypes.util
import errno
import grp
import os
import pwd
import re
import shutil
import subprocess
import sys

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWNET = 0x20000, 0x4000000, 0x40000000
ALLOW, ERRNO, KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
EPERM, EAFNOSUPPORT = 1, 97
PR_SET_KEEPCAPS, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 8, 24, 38
PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, PR_CAP_AMBIENT_CLEAR_ALL = 47, 2, 4
CAPABILITY_VERSION_3 = 0x20080522
CAPABILITIES = """CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID
SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK
IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE
SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP
MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF
CHECKPOINT_RESTORE""".split()
CMP_NE, CMP_EQ, CMP_MASKED_EQ = 1, 4, 7
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16}
NONE = "none"

# What does not change what can be read: limits, order, restarts.
IRRELEVANT = """ExecStart Restart RestartSec MemoryMax TasksMax Nice IOSchedulingClass
Type NotifyAccess WatchdogSec TimeoutStopSec LimitNOFILE LimitCORE Group StateDirectoryMode
CacheDirectoryMode RuntimeDirectoryMode ConfigurationDirectory ConfigurationDirectoryMode
SystemCallErrorNumber UMask OOMScoreAdjust KillMode TimeoutStartSec Environment
EnvironmentFile ExecReload FileDescriptorStoreMax RestartPreventExitStatus MemoryHigh OOMPolicy
DevicePolicy DeviceAllow""".split()


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
    MOUNTS = """StateDirectory CacheDirectory RuntimeDirectory PrivateTmp PrivateDevices PrivateNetwork
    ProtectHome ProtectHostname ProtectProc
    ProtectKernelTunables ProtectKernelLogs ProtectKernelModules ProtectControlGroups
    ProcSubset ProtectSystem""".split()
    CALLS = """RestrictAddressFamilies RestrictNamespaces RestrictRealtime
    RestrictSUIDSGID LockPersonality MemoryDenyWriteExecute ProtectClock
    SystemCallFilter""".split()

    def directories(self, below, names, kept, mode):
        mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", below)
        for name in names:
            path = os.path.join(below, name)
            os.makedirs(path)
            if kept:
                own = os.path.join(kept, name)
                os.makedirs(own, exist_ok=True)
                os.chown(own, self.uid, self.gid)
                os.chmod(own, int(mode, 8))
                mount("--bind", own, path)
            else:
                mount("-t", "tmpfs", "-o", f"mode=700,uid={self.uid},gid={self.gid}",
                      "tmpfs", path)
            self.state.append(path)

    def StateDirectory(self):
        self.directories("/var/lib", self.values("StateDirectory"), self.kept,
                         (self.values("StateDirectoryMode") or ["755"])[0])

    def CacheDirectory(self):
        self.directories("/var/cache", self.values("CacheDirectory"), None,
                         (self.values("CacheDirectoryMode") or ["755"])[0])

    def RuntimeDirectory(self):
        self.directories("/run", self.values("RuntimeDirectory"),
                         self.kept and os.path.join(self.kept, "run"),
                         (self.values("RuntimeDirectoryMode") or ["755"])[0])

    def ProtectProc(self):
        if subprocess.run(["mount", "-t", "proc", "-o",
                           "hidepid=" + self.values("ProtectProc")[0], "proc",
                           "/proc"], stderr=subprocess.DEVNULL).returncode:
            cannot("a /proc of its own is not allowed")

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
        if self.values("ProtectSystem") == ["full"]:
            for path in ("/usr", "/boot", "/efi", "/etc"):
                read_only(path)
            return
        if self.values("ProtectSystem") != ["strict"]:
            print("sandbox: ProtectSystem is known as strict and full only")
            sys.exit(3)
        for path in mounts():
            if path.split("/")[1] not in ("proc", "sys", "dev") and not any(
                    path == s or path.startswith(s + "/") for s in self.state):
                subprocess.run(["mount", "-o", "remount,bind,ro", path],
                               stderr=subprocess.DEVNULL)

    # ---- system calls: filters beside one another, each allowing all but its own ----

    def filter(self, default=ALLOW):
        self.seccomp.seccomp_init.restype = ctypes.c_void_p
        return ctypes.c_void_p(self.seccomp.seccomp_init(ctypes.c_uint(default)))

    def load(self):
        """All that CALLS have made, the one of allowed calls last."""
        for context in self.contexts:
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
        self.contexts.append(context)

    def RestrictAddressFamilies(self):
        allowed = {FAMILIES[name] for name in self.values("RestrictAddressFamilies")}
        self.deny([("socket", (0, CMP_EQ, family, 0)) for family in range(46)
                   if family not in allowed], EAFNOSUPPORT)

    def RestrictNamespaces(self):
        flags = {"mnt": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000,
                 "user": 0x10000000, "pid": 0x20000000, "net": 0x40000000}
        denied = [flag for name, flag in flags.items()
                  if name not in self.values("RestrictNamespaces")]
        self.deny([("setns",)]
                  + [(call, (0, CMP_MASKED_EQ, flag, flag))
                     for flag in denied for call in ("unshare", "clone")])

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

    def calls_of(self, names):
        """Names of calls, the groups among them expanded as systemd does it."""
        found, rest = set(), list(names)
        while rest:
            name = rest.pop()
            if not name.startswith("@"):
                found.add(name)
                continue
            said = subprocess.run(["systemd-analyze", "syscall-filter", name],
                                  capture_output=True, text=True)
            if said.returncode:
                cannot(f"systemd-analyze does not tell what {name} is")
            rest += [w for line in said.stdout.splitlines()[1:]
                     for w in line.split() if not line.strip().startswith("#")]
        return found

    def SystemCallFilter(self):
        """The first line decides whether calls are listed that are allowed or that are
        denied; each later one adds to that list, or with or without ~ takes from it."""
        listed, allow_list = set(), None
        for name, value in self.unit:
            if name != "SystemCallFilter":
                continue
            denies = value.startswith("~")
            calls = self.calls_of(value.lstrip("~").split())
            if allow_list is None:
                allow_list = not denies
            listed = listed - calls if denies == allow_list else listed | calls
        if any(":" in name for name in listed):
            print("sandbox: an error of a single call is not known here")
            sys.exit(3)
        error = self.values("SystemCallErrorNumber")
        denied = KILL_PROCESS
        if self.errors and error:
            denied = ERRNO | getattr(errno, error[-1])
        if allow_list:
            context = self.filter(denied)
            for name in listed | self.calls_of(["@default"]):
                self.rule(context, ALLOW, name)
        else:
            context = self.filter(ALLOW)
            for name in listed:
                self.rule(context, denied, name)
        self.contexts.append(context)

    # ---- done by become ----
    User = AmbientCapabilities = CapabilityBoundingSet = NoNewPrivileges = NONE
    SystemCallArchitectures = NONE  # a native program makes native calls
    PrivateMounts = NONE  # they always are

    def capabilities(self, name):
        return {CAPABILITIES.index(c.removeprefix("CAP_")) for c in self.values(name)}

    def prctl(self, *args):
        words = [ctypes.c_ulong(a) for a in args] + [ctypes.c_ulong(0)] * (5 - len(args))
        if self.libc.prctl(*words) < 0:
            raise OSError(ctypes.get_errno(), f"prctl {args}")

    def become(self):
        """The unit's user, with the capabilities that it has there."""
        if any(name == "CapabilityBoundingSet" for name, _ in self.unit):
            for number in set(range(self.cap_last + 1)) - self.capabilities("CapabilityBoundingSet"):
                self.prctl(PR_CAPBSET_DROP, number)
        self.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
        os.setgroups([])
        if self.uid != 0:
            ambient = self.capabilities("AmbientCapabilities")
            self.prctl(PR_SET_KEEPCAPS, 1)
            os.setresgid(self.gid, self.gid, self.gid)
            os.setresuid(self.uid, self.uid, self.uid)
            low = sum(1 << n for n in ambient if n < 32)
            high = sum(1 << (n - 32) for n in ambient if n >= 32)
            header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
            if self.libc.capset(header, (ctypes.c_uint32 * 6)(*[low] * 3, *[high] * 3)):
                raise OSError(ctypes.get_errno(), "capset")
            for number in ambient:
                self.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, number)
        if self.says("NoNewPrivileges"):
            self.prctl(PR_SET_NO_NEW_PRIVS, 1)

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

    def group(self, user):
        for name in self.values("Group"):
            try:
                return grp.getgrnam(name).gr_gid
            except KeyError:
                pass  # likewise
        return user.pw_gid

    def enter(self, args):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.kept, self.errors, self.contexts = args.state, args.errors, []
        with open("/proc/sys/kernel/cap_last_cap") as f:
            self.cap_last = int(f.read())
        library = ctypes.util.find_library("seccomp")
        if not library:
            cannot("libseccomp is missing")
        self.seccomp = ctypes.CDLL(library)
        user = self.user()
        self.uid, self.gid = user.pw_uid, self.group(user)
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
    parser.add_argument("--errors", action="store_true")
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
    sandbox.enter(args)
    if args.exec:
        environment = sandbox.environment()
        command = sandbox.exec_start(environment) + command
        # For the sanitizers of a build that has them, not the unit's.
        environment.update((n, v) for n, v in os.environ.items()
                           if n.endswith("SAN_OPTIONS"))
        os.environ.clear()
        os.environ.update(environment)
    sandbox.become()
    sandbox.load()
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
