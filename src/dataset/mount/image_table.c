/* SPDX-License-Identifier: Apache-2.0 */
/* image_table - which file of the mount is which image; outlives the process that
 * serves.
 */
#include "dataset/mount/image_table.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Raised where a field has another meaning, or place. */
#define LAYOUT (UINT64_C(1) << 32 | sizeof(struct image_table))

static int table_map(int fd, struct image_table **ret)
{
    void *table = mmap(NULL, sizeof(struct image_table), PROT_READ | PROT_WRITE,
                       MAP_SHARED, fd, 0);
    if (table == MAP_FAILED)
        return -errno;
    *ret = table;
    return 0;
}

int image_table_new(struct image_table **ret, int *ret_fd)
{
    int fd = memfd_create("baro-dataset-images", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -errno;
    int rc = ftruncate(fd, sizeof(struct image_table)) < 0 ||
                     fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0
                 ? -errno
                 : table_map(fd, ret);
    if (rc < 0) {
        (void)close(fd);
        return rc;
    }
    (*ret)->layout = LAYOUT;
    *ret_fd = fd;
    return 0;
}

int image_table_open(int fd, struct image_table **ret)
{
    struct image_table *table;
    struct stat stat;
    /* A file that is shorter than what is mapped would be a SIGBUS. */
    if (fstat(fd, &stat) < 0 || stat.st_size != sizeof *table || table_map(fd, &table))
        return -EINVAL;
    if (table->layout != LAYOUT) {
        (void)munmap(table, sizeof *table);
        return -EINVAL;
    }
    *ret = table;
    return 0;
}

/* ---- slots ---- */

static bool is_free(const struct image_slot *slot)
{
    return slot->opens == 0 && slot->requests == 0 && !slot->is_returning;
}

static int slot_by_name(const struct image_table *table, const struct digest *name)
{
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++)
        if (table->slots[i].generation && digest_eq(&table->slots[i].name, name))
            return (int)i;
    return -1;
}

static int slot_oldest(const struct image_table *table)
{
    int found = -1;
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++)
        if (is_free(&table->slots[i]) &&
            (found < 0 || table->slots[i].used < table->slots[found].used))
            found = (int)i;
    return found;
}

int image_table_assign(struct image_table *table, const struct digest *name,
                       uint64_t size)
{
    int found = slot_by_name(table, name);
    bool is_new = found < 0;
    if (is_new)
        found = slot_oldest(table);
    if (found < 0)
        return -1;
    struct image_slot *slot = &table->slots[found];
    if (is_new)
        *slot = (struct image_slot){ .name = *name,
                                     .generation = slot->generation + 1,
                                     .size = size };
    slot->used = ++table->clock;
    return found;
}

/* The generation, 10 bits of the slot, and whether it is a link; 1 is the directory. */
uint64_t image_table_inode(const struct image_table *table, unsigned slot)
{
    return (table->slots[slot].generation * IMAGE_SLOTS_MAX + slot) * 2;
}

int image_table_slot(const struct image_table *table, uint64_t inode)
{
    unsigned slot = (unsigned)(inode / 2 % IMAGE_SLOTS_MAX);
    uint64_t generation = inode / 2 / IMAGE_SLOTS_MAX;
    return generation && table->slots[slot].generation == generation ? (int)slot : -1;
}

/* ---- what is open ---- */

uint64_t image_table_opens(const struct image_table *table, const struct digest *name)
{
    int slot = slot_by_name(table, name);
    return slot < 0 ? 0 : table->slots[slot].opens;
}

void image_table_charge(struct image_table *table, const struct digest *name, uid_t uid)
{
    int slot = slot_by_name(table, name);
    if (slot >= 0)
        table->slots[slot].uid = uid;
}

unsigned image_table_mounts_of(const struct image_table *table, uid_t uid,
                               const struct digest *but)
{
    unsigned count = 0;
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++) {
        const struct image_slot *slot = &table->slots[i];
        count += slot->opens > 0 && slot->uid == uid && !digest_eq(&slot->name, but);
    }
    return count;
}

bool image_table_is_busy(const struct image_table *table)
{
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++)
        if (table->slots[i].opens || table->slots[i].is_returning)
            return true;
    return false;
}

/* ---- requests ---- */

void image_table_requests_clear(struct image_table *table)
{
    for (unsigned i = 0; i < IMAGE_REQUESTS_MAX; i++)
        table->requests[i] = (struct image_request){ 0 };
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++)
        table->slots[i].requests = 0;
}

bool image_table_request_add(struct image_table *table,
                             const struct image_request *request, unsigned *ret_at)
{
    for (unsigned i = 0; i < IMAGE_REQUESTS_MAX; i++) {
        unsigned at = (table->next + i) % IMAGE_REQUESTS_MAX;
        if (table->requests[at].unique)
            continue;
        table->requests[at] = *request;
        table->next = (at + 1) % IMAGE_REQUESTS_MAX;
        *ret_at = at;
        return true;
    }
    return false;
}

void image_table_request_remove(struct image_table *table, unsigned at)
{
    table->requests[at].unique = 0;
    table->next = at;
}

bool image_table_request_next(struct image_table *table, struct image_request *ret)
{
    for (unsigned i = 0; i < IMAGE_REQUESTS_MAX; i++) {
        struct image_slot *slot = &table->slots[table->requests[i].slot];
        if (!table->requests[i].unique)
            continue;
        *ret = table->requests[i];
        table->requests[i].unique = 0;
        slot->opens -= ret->is_release && slot->opens;
        return true;
    }
    return false;
}
