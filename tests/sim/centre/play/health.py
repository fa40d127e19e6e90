# SPDX-License-Identifier: Apache-2.0
"""health - what lfs df and lctl dl -t print on a client, a block each ten minutes."""
from . import site as S
from .servers import space_of

ADDRESSES = {server: f"10.1.0.{i + 1}@o2ib" for i, server in enumerate(S.OSS)}


def df(centre):
    for t in range(centre.begin, centre.end, S.STEP_HEALTH):
        yield f"BEGIN {t}\nUUID                   1K-blocks        Used   Available Use% Mounted on\n"
        for kind, count in (("mdt", S.MDTS), ("ost", S.OSTS)):
            for number in range(count):
                name = S.ost_name(number) if kind == "ost" else S.mdt_name(number)
                if kind == "ost" and centre.site.server_of(number, t) is None:
                    yield f"{name}_UUID : inactive device\n"
                    continue
                total, free = (x // 1024 for x in space_of(centre, kind, number, t, 0))
                used, available = total - free, max(0, free - total // 100)
                yield (f"{name}_UUID {total} {used} {available} {round(100 * used / (used + available))}% "
                       f"/{S.FS}[{kind.upper()}:{number}]\n")


def dl(centre):
    for t in range(centre.begin, centre.end, S.STEP_HEALTH):
        yield f"BEGIN {t}\n"
        for mdt in range(S.MDTS):
            yield (f"  {mdt + 3} UP mdc {S.mdt_name(mdt)}-mdc-ffff885f81a64000 8dbdc7f6-8f86 5 "
                   f"10.1.0.{101 + mdt // 2}@o2ib\n")
        for ost in range(S.OSTS):
            server = centre.site.server_of(ost, t)
            address = ADDRESSES[server or S.OSS[ost // 4]]
            yield (f"  {ost + 10} {'UP' if server else 'IN'} osc {S.ost_name(ost)}-osc-ffff885f81a64000 "
                   f"8dbdc7f6-8f86 5 {address}\n")
