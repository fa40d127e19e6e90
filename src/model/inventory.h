/* SPDX-License-Identifier: Apache-2.0 */
/* inventory - the parts of one node as they were read at one time.
 *
 *     {"cluster":"alex","host":"n1","t":1795000000.5,"boot":1794900000,
 *      "unread":["dimm"],"parts":[{"class":"disk","slot":"0000:01:00.0",
 *      "vendor":"Samsung","model":"PM9A3","serial":"S64FNE0R","firmware":"GDC5602Q",
 *      "size":1920383410176}, ...]}
 *
 * Of a class in unread nothing is known: parts of it that are missing are not gone.
 * A slot stands once in a class.  label is the module's in EDAC, as its health names
 * it ("dimm:LABEL"); corrected and uncorrected are its errors since the node's start.
 *
 * A serial number is an identity where it is one (part_serial_is_identity).
 *
 * Threads  any.
 */
#ifndef MODEL_INVENTORY_H
#define MODEL_INVENTORY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

#define INVENTORY_PARTS_MAX ((size_t)1024)
#define INVENTORY_TEXT_BYTES_MAX ((size_t)128)
#define INVENTORY_LINE_BYTES_MAX ((size_t)1 << 20)

enum part_class {
    PART_SYSTEM,
    PART_BOARD,
    PART_BIOS,
    PART_CPU,
    PART_DIMM,
    PART_DISK,
    PART_GPU,
    PART_NIC,
    PART_HCA,
    PART_CLASS_COUNT,
};

const char *part_class_name(enum part_class class);
/* Errors: -EINVAL. */
int part_class_parse(struct span name, enum part_class *ret);
/* Can it be put into a node that is running? */
bool part_class_is_hot(enum part_class class);
/* False for "Not Specified", "0", "None", all zeros, "123456789" and others. */
bool part_serial_is_identity(struct span serial);

struct node_part {
    enum part_class class;
    struct span slot;                  /* where in the node */
    struct span vendor, model, serial; /* empty: not known */
    struct span firmware;              /* its version; of a CPU its microcode */
    struct span label;                 /* of a module that EDAC counts */
    int64_t size_bytes;                /* 0: not known, or it has none */
    int64_t corrected, uncorrected;    /* -1: not counted */
};

struct node_inventory {
    struct span cluster; /* empty: of the token that sends it */
    struct span host;
    int64_t t_ns, boot_ns; /* boot_ns 0: not known */
    unsigned unread;       /* bit of each class */
    struct node_part *parts;
    size_t part_count;
};

/* Why it cannot be stored, or NULL.  Static text. */
const char *node_inventory_check(const struct node_inventory *inventory);

/* As a line of POST /v1/resources/inventory, with its end. */
void node_inventory_print(const struct node_inventory *inventory, struct strbuf *out);
/* Texts and parts of *ret lie in arena.  Errors: -EBADMSG (err has the reason),
 * -ENOMEM. */
int node_inventory_read(struct span line, struct arena *arena,
                        struct node_inventory *ret, struct err *err);

#endif
