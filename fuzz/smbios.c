/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_smbios - the firmware's table: what is read lies in it, and there is an end. */
#include "source/inventory/smbios.h"
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "source/inventory/inventory.h"

#include <errno.h>

struct firmware_table {
    struct span bytes;
    size_t count;
};

static void check_within(const struct firmware_table *table, struct span text)
{
    if (text.size == 0)
        return;
    fuzz_check(text.data >= table->bytes.data &&
               text.data + text.size <= table->bytes.data + table->bytes.size);
    fuzz_check(!memchr(text.data, '\0', text.size));
}

static int on_smbios(void *arg, const struct smbios_part *part)
{
    struct firmware_table *table = arg;
    table->count++;
    check_within(table, part->vendor);
    check_within(table, part->model);
    check_within(table, part->serial);
    check_within(table, part->version);
    check_within(table, part->slot);
    check_within(table, part->bank);
    fuzz_check(part->size_bytes >= 0);
    (void)inventory_is_module(part->model, part->slot, part->bank);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct firmware_table table = { { (const char *)data, size }, 0 };
    int rc = smbios_read(table.bytes, on_smbios, &table);
    fuzz_check(rc == 0 || rc == -EBADMSG);
    fuzz_check(table.count <= size / 6); /* a header and two NULs each */
    return 0;
}
