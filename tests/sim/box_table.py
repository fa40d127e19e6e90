#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""box_table - plays the private MIB of a disk array, behind Debian's snmpd.

    pass_persist .1.3.6.1.4.1.99999 .../box_table.py DIRECTORY

DIRECTORY/state is a JSON document that is read at each request:

    {"box": 1, "disks": [["Slot 1", 2, "text"], ...], "temperatures": [["CPU", 415], ...]}

    .1.1.0        state of the box itself
    .2.1.{2,3,4}  disks: name, state, text
    .3.1.{2,3}    temperatures: name, tenths of a degree
"""
import json
import os
import sys

BASE = (1, 3, 6, 1, 4, 1, 99999)


def objects(path):
    with open(os.path.join(path, "state")) as file:
        state = json.load(file)
    found = {(1, 1, 0): ("integer", state.get("box", 1))}
    for index, (name, value, text) in enumerate(state.get("disks", []), 1):
        found[(2, 1, 2, index)] = ("string", name)
        found[(2, 1, 3, index)] = ("integer", value)
        found[(2, 1, 4, index)] = ("string", text)
    for index, (name, value) in enumerate(state.get("temperatures", []), 1):
        found[(3, 1, 2, index)] = ("string", name)
        found[(3, 1, 3, index)] = ("gauge", value)
    return {BASE + key: value for key, value in found.items()}


def respond(found, wanted, is_next):
    if is_next:
        wanted = min((key for key in found if key > wanted), default=None)
    if wanted not in found:
        print("NONE", flush=True)
        return
    kind, value = found[wanted]
    print("." + ".".join(map(str, wanted)), kind, value, sep="\n", flush=True)


def main():
    while True:
        command = sys.stdin.readline().strip()
        if not command:
            return
        if command == "PING":
            print("PONG", flush=True)
            continue
        wanted = tuple(int(number) for number in sys.stdin.readline().strip().strip(".").split("."))
        if command == "set":
            sys.stdin.readline()
            print("not-writable", flush=True)
            continue
        respond(objects(sys.argv[1]), wanted, command == "getnext")


if __name__ == "__main__":
    main()
