/* SPDX-License-Identifier: Apache-2.0 */
/* layers - which files one interface reached through another. */
#include "analysis/log/layers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

void layers_done(struct layers *l)
{
    hashmap_done(&l->map);
    hashmap_done(&l->lower);
    free(l->files);
    *l = (struct layers){ 0 };
}

static struct layer_file *file_find(const struct layers *l, uint64_t id)
{
    struct span key = { (const char *)&id, sizeof id };
    const uintptr_t *at = hashmap_get(&l->map, key);
    return at ? &l->files[*at - 1] : NULL;
}

static int file_new(struct layers *l, uint64_t id, struct layer_file **ret)
{
    struct span key = { (const char *)&id, sizeof id };
    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? l->capacity * 2 : 64;
        struct layer_file *more = realloc(l->files, capacity * sizeof *more);
        if (!more)
            return -ENOMEM;
        l->files = more;
        l->capacity = capacity;
    }
    uintptr_t *at = hashmap_put(&l->map, key, NULL);
    if (!at)
        return -ENOMEM;
    l->files[l->count] = (struct layer_file){ 0 };
    *ret = &l->files[l->count];
    *at = ++l->count;
    return 0;
}

static void bytes_add(struct layer_bytes *to, struct layer_bytes more)
{
    to->read += more.read;
    to->written += more.written;
}

int layers_add_upper(struct layers *l, uint64_t id, struct layer_bytes bytes)
{
    struct layer_file *file = file_find(l, id);
    int rc = 0;
    if (!file && l->count == LAYERS_FILES_MAX)
        bytes_add(&l->alone, bytes);
    else if (!file)
        rc = file_new(l, id, &file);
    if (rc == 0 && file)
        bytes_add(&file->bytes, bytes);
    return rc;
}

int layers_add_lower(struct layers *l, uint64_t id, struct layer_bytes bytes,
                     bool is_file, bool *ret_is_inside)
{
    struct layer_file *file = file_find(l, id);
    struct span key = { (const char *)&id, sizeof id };
    *ret_is_inside = file != NULL;
    bytes_add(file ? &l->inside : &l->alone, bytes);
    if (file)
        file->has_lower = true;
    else if (is_file && l->lower.count < LAYERS_FILES_MAX &&
             !hashmap_put(&l->lower, key, NULL))
        return -ENOMEM;
    return 0;
}

static double bytes_of(struct layer_bytes bytes)
{
    return bytes.read + bytes.written;
}

bool layers_has_open(const struct layers *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (!l->files[i].has_lower && bytes_of(l->files[i].bytes) > 0)
            return true;
    return false;
}

void layers_add_below(struct layers *l, struct layer_bytes bytes)
{
    bytes_add(&l->below, bytes);
}

/* As the file system saw files without lower records of their own: what is below them
 * is of these and, at least, what was requested of them. */
static struct layer_bytes open_bytes(const struct layers *l, struct layer_bytes above)
{
    return (struct layer_bytes){ fmax(l->below.read, above.read),
                                 fmax(l->below.written, above.written) };
}

void layers_sum(const struct layers *l, struct layer_sums *ret)
{
    struct layer_bytes above = { 0, 0 };     /* of files with records on both sides */
    struct layer_bytes unlayered = { 0, 0 }; /* upper records with nothing below */
    for (size_t i = 0; i < l->count; i++)
        bytes_add(l->files[i].has_lower ? &above : &unlayered, l->files[i].bytes);
    *ret = (struct layer_sums){ .application = l->alone,
                                .file_system = l->alone,
                                .files = (double)(l->count + l->lower.count),
                                .amplification = NAN };
    bytes_add(&ret->application, above);
    bytes_add(&ret->application, unlayered);
    bytes_add(&ret->file_system, l->inside);
    struct layer_bytes below = open_bytes(l, unlayered);
    bytes_add(&ret->file_system, below);
    if (bytes_of(l->below) > 0)
        bytes_add(&above, unlayered);
    else
        below = (struct layer_bytes){ 0, 0 };
    bytes_add(&below, l->inside);
    ret->is_layered = bytes_of(above) > 0 && bytes_of(below) > 0;
    if (ret->is_layered)
        ret->amplification = bytes_of(below) / bytes_of(above);
}

void layers_sum_beside(const struct layers *l, struct layer_sums *sums)
{
    struct layer_sums more;
    layers_sum(l, &more);
    bytes_add(&sums->application, more.application);
    bytes_add(&sums->file_system, more.application);
    sums->files += more.files;
}
