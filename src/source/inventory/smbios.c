/* SPDX-License-Identifier: Apache-2.0 */
/* smbios - the firmware's table of a node's parts. */
#include "source/inventory/smbios.h"

#include "base/cleanup.h"
#include "base/span.h"

#include <errno.h>

#define HEADER_SIZE 4
#define END_OF_TABLE 127
#define SIZE_NOT_KNOWN 0xffff
#define SIZE_EXTENDED 0x7fff
#define SIZE_IN_KIB 0x8000
#define KIB INT64_C(1024)

/* Where in the fields the number of a string, or a number, stands; 0: there is none. */
static const struct {
    enum smbios_kind kind;
    uint8_t vendor, model, serial, version, slot, bank;
} layouts[] = {
    { SMBIOS_BIOS, 0x04, 0, 0, 0x05, 0, 0 },
    { SMBIOS_SYSTEM, 0x04, 0x05, 0x07, 0x06, 0, 0 },
    { SMBIOS_BOARD, 0x04, 0x05, 0x07, 0x06, 0, 0 },
    { SMBIOS_MODULE, 0x17, 0x1a, 0x18, 0x2b, 0x10, 0x11 },
};
#define MODULE_SIZE 0x0c
#define MODULE_EXTENDED_SIZE 0x1c

struct structure {
    struct span fields;  /* with the header */
    struct span strings; /* each with its NUL */
};

/* ---- fields: those beyond the structure's length are 0 ---- */

static uint32_t field(const struct structure *s, size_t at, size_t size)
{
    uint32_t value = 0;
    if (at + size > s->fields.size)
        return 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint32_t)(unsigned char)s->fields.data[at + i] << 8 * i;
    return value;
}

static struct span string_of(const struct structure *s, size_t at)
{
    struct span rest = s->strings, text = SPAN("");
    uint32_t number = at > 0 ? field(s, at, 1) : 0;
    for (uint32_t i = 0; i < number; i++) {
        if (rest.size == 0)
            return SPAN(""); /* no such string */
        (void)span_cut(&rest, '\0', &text);
    }
    return number > 0 ? text : SPAN("");
}

static int64_t module_size(const struct structure *s)
{
    uint32_t size = field(s, MODULE_SIZE, 2);
    if (size == SIZE_NOT_KNOWN)
        return 0;
    if (size == SIZE_EXTENDED)
        return (int64_t)(field(s, MODULE_EXTENDED_SIZE, 4) & INT32_MAX) * KIB * KIB;
    return size & SIZE_IN_KIB ? (int64_t)(size & ~SIZE_IN_KIB & 0xffff) * KIB
                              : (int64_t)size * KIB * KIB;
}

/* ---- structures ---- */

/* Cuts the first off *rest.  False: it is cut off. */
static bool structure_cut(struct span *rest, struct structure *ret)
{
    if (rest->size < HEADER_SIZE)
        return false;
    size_t length = (unsigned char)rest->data[1];
    if (length < HEADER_SIZE || length > rest->size)
        return false;
    ret->fields = (struct span){ rest->data, length };
    /* The strings end with an empty one; without any there are two NULs. */
    for (size_t at = length; at + 1 < rest->size; at++)
        if (rest->data[at] == '\0' && rest->data[at + 1] == '\0') {
            ret->strings = (struct span){ rest->data + length, at + 1 - length };
            *rest = span_skip(*rest, at + 2);
            return true;
        }
    return false;
}

static int structure_read(const struct structure *s, smbios_part_fn *fn, void *arg)
{
    uint32_t type = field(s, 0, 1);
    for (size_t i = 0; i < COUNT_OF(layouts); i++) {
        if (type != (uint32_t)layouts[i].kind)
            continue;
        bool is_module = type == SMBIOS_MODULE;
        if (is_module && field(s, MODULE_SIZE, 2) == 0)
            return 0; /* nothing is in this slot */
        const struct smbios_part part = {
            .kind = layouts[i].kind,
            .vendor = string_of(s, layouts[i].vendor),
            .model = string_of(s, layouts[i].model),
            .serial = string_of(s, layouts[i].serial),
            .version = string_of(s, layouts[i].version),
            .slot = string_of(s, layouts[i].slot),
            .bank = string_of(s, layouts[i].bank),
            .size_bytes = is_module ? module_size(s) : 0,
        };
        return fn(arg, &part);
    }
    return 0;
}

int smbios_read(struct span table, smbios_part_fn *fn, void *arg)
{
    struct structure structure;
    if (table.size == 0 || table.size > SMBIOS_BYTES_MAX)
        return -EBADMSG;
    while (table.size > 0) {
        if (!structure_cut(&table, &structure))
            return -EBADMSG;
        if (field(&structure, 0, 1) == END_OF_TABLE)
            return 0; /* the table ends here, whatever follows */
        int rc = structure_read(&structure, fn, arg);
        if (rc < 0)
            return rc;
    }
    return 0;
}
