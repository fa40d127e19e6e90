#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""box_ill - plays a storage box by SNMP 2c that is ill, without a library of SNMP.

    box_ill.py --port PORT DIRECTORY

DIRECTORY/state is a JSON document that is read at each request: {"fault": NAME}

    ""          one disk, which is up            silent     it does not respond
    endless     a column without an end          back       each object is before the last
    same        each object is the one requested types      values of types that no state has
    huge        texts of 1,000 bytes             long       an index of 120 numbers
    foreign     objects of another table         empty      a response without objects
    cut         a datagram that ends in its middle          binary  bytes that are no BER
    error       genErr                           other      the response to another request
    names       names with control characters, no UTF-8, and 4 KiB
    big         numbers over 32 bits in an OID   flood      100 datagrams a request

DIRECTORY/requests has a line a request.
"""
import argparse
import json
import os
import socket

COLUMN = [1, 3, 6, 1, 4, 1, 99999, 2, 1]


def tlv(tag, body):
    if len(body) < 128:
        return bytes([tag, len(body)]) + body
    size = len(body).to_bytes(3, "big")
    return bytes([tag, 0x83]) + size + body


def integer(value, tag=2):
    return tlv(tag, value.to_bytes(9 if abs(value) >> 63 else max(1, value.bit_length() // 8 + 1), "big", signed=True))


def oid(numbers):
    body = b""
    for number in [40 * numbers[0] + numbers[1]] + list(numbers[2:]):
        part = [number & 0x7F]
        while number > 0x7F:
            number >>= 7
            part.append(0x80 | number & 0x7F)
        body += bytes(reversed(part))
    return tlv(6, body)


def read(data, at=0):
    """Tag, body and what follows."""
    tag, size, at = data[at], data[at + 1], at + 2
    if size & 0x80:
        count = size & 0x7F
        size, at = int.from_bytes(data[at:at + count], "big"), at + count
    return tag, data[at:at + size], at + size


def parts(data):
    at, found = 0, []
    while at < len(data):
        tag, body, at = read(data, at)
        found.append((tag, body))
    return found


def numbers_of(body):
    found, number = [], 0
    for byte in body:
        number = number << 7 | byte & 0x7F
        if not byte & 0x80:
            found.append(number)
            number = 0
    return [found[0] // 40, found[0] % 40] + found[1:]


def request_read(data):
    message = parts(read(data)[1])
    pdu = parts(message[2][1])
    binding = parts(read(pdu[3][1])[1])
    return message, pdu[0][1], int.from_bytes(pdu[2][1], "big"), numbers_of(binding[0][1])


def is_column(wanted, which):
    return wanted[:10] == COLUMN + [which]


def values(fault, wanted, count):
    """Objects behind the one that is wanted, with their values."""
    root, index = wanted[:10], wanted[10] if len(wanted) > 10 else 0
    if fault == "foreign":
        return [([1, 3, 6, 1, 9, n], integer(n)) for n in range(count)]
    if fault == "same":
        return [(wanted, integer(2))] * count
    if fault == "back":
        return [(root + [1000 - n], integer(2)) for n in range(count)]
    if fault == "endless":
        return [(root + [index + n + 1], integer(2)) for n in range(count)]
    if fault == "long":
        return [(root + [index + 1] + [4294967295] * 110, integer(2)), ([1, 4, 1], integer(1))]
    if fault == "big":
        return [(root + [1 << 40], integer(2))]
    if index >= 1:
        return [([1, 4, 1], integer(1))]
    if fault == "huge":
        return [(root + [1], tlv(4, b"x" * 1000))]
    if fault == "types":
        text = is_column(wanted, 2) or is_column(wanted, 4)
        return [(root + [1], integer(17) if text else tlv(4, b"\xff\x00\x01")), (root + [2], tlv(0x40, b"\x7f\0\0\1"))]
    if fault == "names" and is_column(wanted, 2):
        return [(root + [1], tlv(4, b"a\n<3>b\x1b[31m\xff,=\\ \"\0x")), (root + [2], tlv(4, b"n" * 4096))]
    if is_column(wanted, 3):
        return [(root + [1], integer(2))] + ([(root + [2], integer(2))] if fault == "names" else [])
    return [(root + [1], tlv(4, b"Slot 1"))]


def respond(fault, message, request, repetitions, wanted):
    found = [] if fault == "empty" else values(fault, wanted, repetitions)
    bindings = b"".join(tlv(0x30, oid(name) + value) for name, value in found)
    error = 5 if fault == "error" else 0
    if fault == "other":
        request = bytes(reversed(request))
    pdu = tlv(2, request) + integer(error) + integer(0) + tlv(0x30, bindings)
    data = tlv(0x30, tlv(2, message[0][1]) + tlv(4, message[1][1]) + tlv(0xA2, pdu))
    return data[:len(data) // 2] if fault == "cut" else bytes(range(256)) if fault == "binary" else data


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("directory")
    args = parser.parse_args()
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", args.port))
    print("ready", flush=True)
    while True:
        data, client = server.recvfrom(65535)
        with open(os.path.join(args.directory, "state")) as file:
            fault = json.load(file).get("fault", "")
        message, request, repetitions, wanted = request_read(data)
        with open(os.path.join(args.directory, "requests"), "a") as file:
            file.write(fault + " " + ".".join(map(str, wanted)) + "\n")
        if fault == "silent":
            continue
        response = respond(fault, message, request, repetitions, wanted)
        for _ in range(100 if fault == "flood" else 1):
            server.sendto(response, client)


if __name__ == "__main__":
    main()
