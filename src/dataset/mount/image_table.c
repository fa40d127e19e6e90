/* SPDX-License-Identifier: Apache-2.0 */
/* image_table - which file of the mount is which image; outlives the process that
 * serves.
 */
#include "dataset/mount/image_table.h"

#include <errno.h>
#include <sys/mman.h>

int image_table_new(struct image_table **ret)
{
    void *table = mmap(NULL, sizeof(struct image_table), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED)
        return -errno;
    *ret = table;
    return 0;
}

static bool is_free(const struct image_slot *slot)
{
    return slot->lookups == 0 && slot->opens == 0 && !slot->is_returning;
}

int image_table_assign(struct image_table *table, const struct digest *name,
                       uint64_t size)
{
    int found = -1;
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++) {
        const struct image_slot *slot = &table->slots[i];
        if (!is_free(slot) && digest_eq(&slot->name, name))
            return (int)i;
        if (found < 0 && is_free(slot))
            found = (int)i;
    }
    if (found >= 0) {
        table->slots[found].name = *name;
        table->slots[found].size = size;
    }
    return found;
}

int image_table_slot(const struct image_table *table, uint64_t inode)
{
    uint64_t slot = inode < 2 ? IMAGE_SLOTS_MAX : (inode - 2) / 2;
    return slot < IMAGE_SLOTS_MAX && !is_free(&table->slots[slot]) ? (int)slot : -1;
}

bool image_table_is_busy(const struct image_table *table)
{
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++)
        if (table->slots[i].opens || table->slots[i].is_returning)
            return true;
    return false;
}
