#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage - what users hold on the targets of a file system, with what is planted.

    usage.py play END       line protocol of ten days, hour by hour up to END (seconds), as
                            agents send it
    usage.py param USERS    what lctl get_param prints of a server with so many users on
                            each of two OSTs

scratch has two OSTs and an MDT; each lists its three largest users.
    1001  grows by 1 TB a day, half on each OST
    1002  holds 20 TB, and removed 10 TB on day 5
    1003  the third of OST0000 only; 1004 the third of OST0001 only
"""
import sys

DAY = 86400
TB = 10 ** 12


def listed(target, day):
    """user -> bytes of an OST, inodes of an MDT."""
    if target == "scratch-MDT0000":
        return {"1001": 1000 + 100 * day, "1002": 90000, "1003": 10, "others": 8990}
    third = {"scratch-OST0000": "1003", "scratch-OST0001": "1004"}[target]
    amount = 3 * TB if third == "1003" else 2 * TB
    return {
        "1001": 2 * TB + 0.5 * TB * day,
        "1002": (10 if day >= 5 else 15) * TB,
        third: amount,
        "others": 1 * TB,
    }


def play(end):
    for t in range(end - 10 * DAY + 3600, end + 1, 3600):
        day = (t - end) / DAY + 10
        for target in ("scratch-MDT0000", "scratch-OST0000", "scratch-OST0001"):
            is_mdt = "MDT" in target
            what, kind = ("inodes", "mdt") if is_mdt else ("bytes", "ost")
            for user, value in listed(target, day).items():
                print(f"lustre_user_{what},cluster=lustre,hostname=oss01,type={kind},"
                      f"type-id={target},stype=user,stype-id={user} value={value!r} {t}")


def param(users):
    for target in ("scratch-OST0000", "scratch-OST0001"):
        for name, head in (("user", "usr"), ("group", "grp"), ("project", "prj")):
            print(f"osd-ldiskfs.{target}.quota_slave.acct_{name}=")
            if name == "project":
                print("not supported")
                continue
            print(f"{head}_accounting:")
            for i in range(users):
                print(f"- id:      {i}\n  usage:   {{ inodes:   {2 * i}, kbytes:  {i} }}")


def main():
    if sys.argv[1] == "play":
        play(int(sys.argv[2]))
    else:
        param(int(sys.argv[2]))


main()
