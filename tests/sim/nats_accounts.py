#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nats_accounts - a NATS operator, an account and a user, signed by openssl.

    nats_accounts.py DIR

Writes DIR/accounts.conf, which a nats-server's configuration includes, and DIR/user.creds,
the credentials file of a user of it.  Keys are Ed25519 in NATS' base32 form: a byte that
says whose, the key, a CRC-16.
"""
import base64
import json
import os
import subprocess
import sys
import time

SEED, OPERATOR, ACCOUNT, USER = 18 << 3, 14 << 3, 0, 20 << 3


def crc16(data):
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xFFFF
    return crc.to_bytes(2, "little")


def base32(data):
    return base64.b32encode(data + crc16(data)).decode().rstrip("=")


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Key:
    def __init__(self, directory, name, kind):
        self.name, self.pem = name, os.path.join(directory, name + ".pem")
        openssl("genpkey", "-algorithm", "ed25519", "-out", self.pem)
        private = openssl("pkey", "-in", self.pem, "-outform", "DER")[-32:]
        public = openssl("pkey", "-in", self.pem, "-pubout", "-outform", "DER")[-32:]
        self.public = base32(bytes([kind]) + public)
        self.seed = base32(bytes([SEED | kind >> 5, (kind & 31) << 3]) + private)

    def sign(self, subject, claims):
        header = {"typ": "JWT", "alg": "ed25519-nkey"}
        body = {"jti": subject.public, "iat": int(time.time()), "iss": self.public,
                "name": subject.name, "sub": subject.public,
                "nats": dict(claims, version=2)}
        text = ".".join(base64url(json.dumps(part).encode()) for part in (header, body))
        return text + "." + base64url(sign(self.pem, text.encode()))


def openssl(*words):
    return subprocess.run(("openssl", *words), check=True, capture_output=True).stdout


def sign(pem, data):
    """openssl wants to know how long the data are, so they lie in a file."""
    path = pem + ".data"
    with open(path, "wb") as file:
        file.write(data)
    return openssl("pkeyutl", "-sign", "-rawin", "-inkey", pem, "-in", path)


def main():
    directory = sys.argv[1]
    operator = Key(directory, "operator", OPERATOR)
    account = Key(directory, "account", ACCOUNT)
    user = Key(directory, "user", USER)
    limits = {"subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1,
              "wildcards": True, "conn": -1, "leaf": -1}
    operator_jwt = operator.sign(operator, {"type": "operator"})
    account_jwt = operator.sign(account, {"type": "account", "limits": limits})
    user_jwt = account.sign(user, {"type": "user", "subs": -1, "data": -1, "payload": -1})
    with open(os.path.join(directory, "accounts.conf"), "w") as file:
        file.write(f"operator: {operator_jwt}\nresolver: MEMORY\n"
                   f"resolver_preload: {{ {account.public}: {account_jwt} }}\n")
    with open(os.path.join(directory, "user.creds"), "w") as file:
        file.write(f"-----BEGIN NATS USER JWT-----\n{user_jwt}\n"
                   "------END NATS USER JWT------\n\n"
                   f"-----BEGIN USER NKEY SEED-----\n{user.seed}\n"
                   "------END USER NKEY SEED------\n")


if __name__ == "__main__":
    main()
