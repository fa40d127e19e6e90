/* SPDX-License-Identifier: Apache-2.0 */
/* smbios - the firmware's table of a node's parts (/sys/firmware/dmi/tables/DMI), of
 * which nothing is believed.
 *
 *     type  length  handle   fields ...        strings, each with a NUL     NUL
 *     17    40      0x1100   ... 1 .. 2 ..     "DIMM_A1" "Samsung" ...
 *            │                   number of a string, from 1; 0: none
 *            └ of the first four bytes and the fields; fields beyond it are not there
 *
 * Bounds   the table's size; each structure once, each string is looked for in its own.
 * Threads  any.
 */
#ifndef SOURCE_INVENTORY_SMBIOS_H
#define SOURCE_INVENTORY_SMBIOS_H

#include "base/span_type.h"

#include <stdint.h>

#define SMBIOS_BYTES_MAX ((size_t)1 << 20)

enum smbios_kind {
    SMBIOS_BIOS = 0,
    SMBIOS_SYSTEM = 1,
    SMBIOS_BOARD = 2,
    SMBIOS_MODULE = 17, /* of memory */
};

/* Texts point into the table, as they stand there; empty: none. */
struct smbios_part {
    enum smbios_kind kind;
    struct span vendor, model, serial, version;
    struct span slot, bank; /* of a module */
    int64_t size_bytes;     /* of a module; 0: not known */
};

/* A negative return ends the reading and is returned. */
typedef int smbios_part_fn(void *arg, const struct smbios_part *part);

/* Each part that is there: empty slots are none.  Errors: -EBADMSG (the table is cut
 * off or no such table; what stands before was handed on). */
int smbios_read(struct span table, smbios_part_fn *fn, void *arg);

#endif
