/* SPDX-License-Identifier: Apache-2.0 */
/* sample - the targets of file systems: how full, active or not, served by whom. */
#include "base/span.h"
#include "source/health/sample_private.h"

#include <stdlib.h>

void health_sample_init(struct health_sample *sample)
{
    *sample = (struct health_sample){ 0 };
}

void health_sample_done(struct health_sample *sample)
{
    free(sample->targets);
    hashmap_done(&sample->index);
    hashmap_done(&sample->filesystems);
    health_sample_init(sample);
}

const struct health_target *health_sample_find(const struct health_sample *sample,
                                               struct span name)
{
    const uintptr_t *at = hashmap_get(&sample->index, name);
    return at && *at > 0 ? &sample->targets[*at - 1] : NULL;
}

static int sample_grow(struct health_sample *sample)
{
    size_t capacity = sample->capacity ? 2 * sample->capacity : 64;
    struct health_target *grown =
        reallocarray(sample->targets, capacity, sizeof *sample->targets);
    if (!grown)
        return -ENOMEM;
    sample->targets = grown;
    sample->capacity = capacity;
    return 0;
}

/* Whether fs is a new one, which then is none any more.  Errors: -E2BIG, -ENOMEM. */
static int sample_fs(struct health_sample *sample, struct span fs, bool *ret_is_new)
{
    bool is_new = !hashmap_get(&sample->filesystems, fs);
    if (is_new && sample->filesystems.count >= HEALTH_FILESYSTEMS_MAX)
        return -E2BIG;
    if (is_new && !hashmap_put(&sample->filesystems, fs, NULL))
        return -ENOMEM;
    *ret_is_new = is_new;
    return 0;
}

static int sample_make(struct health_sample *sample, struct span name,
                       const struct target_name *parts, struct health_target **ret)
{
    bool begins_fs = false;
    if (sample->count >= HEALTH_TARGETS_MAX)
        return -E2BIG;
    if (sample->count == sample->capacity && sample_grow(sample) < 0)
        return -ENOMEM;
    int rc = parts->fs.size > 0 ? sample_fs(sample, parts->fs, &begins_fs) : 0;
    if (rc < 0)
        return rc;
    uintptr_t *at = hashmap_put(&sample->index, name, NULL);
    if (!at)
        return -ENOMEM;
    struct health_target *t = &sample->targets[sample->count++];
    *t = (struct health_target){ .name = name,
                                 .parts = *parts,
                                 .begins_fs = begins_fs,
                                 .space_t_ns = -1,
                                 .server_t_ns = -1 };
    *at = sample->count;
    *ret = t;
    return 0;
}

int health_sample_target(struct health_sample *sample, struct span name,
                         struct health_target **ret)
{
    struct target_name parts;
    const uintptr_t *at = hashmap_get(&sample->index, name);
    if (at && *at > 0) {
        *ret = &sample->targets[*at - 1];
        return 0;
    }
    if (target_parse(name, &parts) < 0)
        return -EINVAL;
    return sample_make(sample, name, &parts, ret);
}

int health_sample_disk(struct health_sample *sample, struct span name, struct span fs,
                       struct health_target **ret)
{
    const uintptr_t *at = hashmap_get(&sample->index, name);
    if (!at || *at == 0) {
        const struct target_name parts = { .fs = fs, .kind = TARGET_OST };
        int rc = sample_make(sample, name, &parts, ret);
        if (rc == 0)
            (*ret)->has |= HEALTH_DISK;
        return rc;
    }
    struct health_target *t = &sample->targets[*at - 1];
    if (t->parts.fs.size == 0 && fs.size > 0) { /* reported only now */
        bool begins_fs;
        int rc = sample_fs(sample, fs, &begins_fs);
        if (rc < 0)
            return rc;
        t->parts.fs = fs;
        t->begins_fs = begins_fs;
    }
    *ret = t;
    return 0;
}

bool health_sample_next_fs(const struct health_sample *sample, size_t *cursor,
                           struct span *ret_fs, struct span *ret_mount)
{
    while (*cursor < sample->count) {
        size_t first = (*cursor)++;
        struct span fs = sample->targets[first].parts.fs;
        if (!sample->targets[first].begins_fs)
            continue;
        *ret_fs = fs;
        *ret_mount = (struct span){ "", 0 };
        for (size_t i = first; i < sample->count && ret_mount->size == 0; i++)
            if (span_eq(sample->targets[i].parts.fs, fs) &&
                (sample->targets[i].has & HEALTH_SPACE))
                *ret_mount = sample->targets[i].mount;
        return true;
    }
    return false;
}

int health_sample_fs(const struct health_sample *sample, struct span what,
                     struct span *ret_fs)
{
    for (size_t i = 0; i < sample->count; i++) {
        const struct health_target *t = &sample->targets[i];
        bool is_mount =
            (t->has & HEALTH_SPACE) && t->mount.size > 0 &&
            (span_eq(t->mount, what) || span_eq(span_skip(t->mount, 1), what));
        /* GPFS reports no mount point: its last part is mostly called as the file
         * system.
         */
        bool is_last =
            (t->has & HEALTH_DISK) && what.size > t->parts.fs.size &&
            t->parts.fs.size > 0 &&
            span_eq(span_skip(what, what.size - t->parts.fs.size), t->parts.fs) &&
            what.data[what.size - t->parts.fs.size - 1] == '/';
        if (is_mount || is_last || span_eq(t->parts.fs, what)) {
            *ret_fs = t->parts.fs;
            return 0;
        }
    }
    return -ENOENT;
}
