/* SPDX-License-Identifier: Apache-2.0 */
/* bad_ost - whether files that lie on a target were slower than those that do not. */
#include "analysis/weather/bad_ost.h"

#include "analysis/stats/stats.h"
#include "base/hashmap.h"
#include "source/darshan/darshan.h"

#include <math.h>

#define FILES_MAX ((size_t)4 << 20)
#define STRIPES_MAX ((size_t)16 << 20)

struct file {
    double bytes;
    double seconds; /* of the slowest process */
    bool has_layout;
    size_t place; /* among the files that count */
};

struct stripe {
    int64_t ost;
    size_t file;
};

struct reading {
    struct hashmap ids; /* of files -> index */
    struct file *files;
    size_t file_count;
    size_t file_capacity;
    struct stripe *stripes;
    size_t stripe_count;
    size_t stripe_capacity;
    int columns[2];   /* bytes read and written */
    int f_columns[4]; /* times of meta, read, write; of the slowest process */
    struct strbuf *faults;
};

static void reading_done(struct reading *r)
{
    hashmap_done(&r->ids);
    free(r->files);
    free(r->stripes);
}
DEFINE_AUTO_DONE(struct reading, reading_done);

static int grow(void *array_arg, size_t count, size_t *capacity, size_t size)
{
    void **array = array_arg;
    if (count < *capacity)
        return 0;
    size_t more = *capacity ? *capacity * 2 : 1024;
    void *bigger = realloc(*array, more * size);
    if (!bigger)
        return -ENOMEM;
    *array = bigger;
    *capacity = more;
    return 0;
}

static int file_of(struct reading *r, uint64_t id, size_t *ret)
{
    bool is_new = false;
    uintptr_t *at =
        hashmap_put(&r->ids, (struct span){ (const char *)&id, sizeof id }, &is_new);
    if (!at)
        return -ENOMEM;
    if (is_new) {
        if (r->file_count == FILES_MAX)
            return -EFBIG;
        if (grow(&r->files, r->file_count, &r->file_capacity, sizeof *r->files) < 0)
            return -ENOMEM;
        r->files[r->file_count] = (struct file){ 0 };
        *at = r->file_count++;
    }
    *ret = *at;
    return 0;
}

static int on_posix(void *arg, const struct darshan_record *record)
{
    struct reading *r = arg;
    size_t at = 0;
    int rc = file_of(r, record->id, &at);
    if (rc < 0)
        return rc;
    double seconds = 0;
    for (size_t i = 0; i < 3; i++)
        seconds += record->f_counters[r->f_columns[i]];
    double slowest = record->f_counters[r->f_columns[3]];
    if (record->rank < 0 && slowest > 0)
        seconds = slowest; /* the others are sums over all processes */
    struct file *file = &r->files[at];
    for (size_t i = 0; i < 2; i++)
        if (record->counters[r->columns[i]] > 0)
            file->bytes += (double)record->counters[r->columns[i]];
    if (isfinite(seconds) && seconds > file->seconds)
        file->seconds = seconds;
    return 0;
}

static int on_layout(void *arg, const struct darshan_record *record)
{
    struct reading *r = arg;
    size_t at = 0;
    int rc = file_of(r, record->id, &at);
    for (size_t c = 0; rc == 0 && c < record->component_count; c++) {
        const struct darshan_component *component = &record->components[c];
        for (size_t i = 0; i < component->ost_count; i++) {
            if (r->stripe_count == STRIPES_MAX)
                return -EFBIG;
            if (component->ost_ids[i] < 0)
                continue;
            if (grow(&r->stripes, r->stripe_count, &r->stripe_capacity,
                     sizeof *r->stripes) < 0)
                return -ENOMEM;
            r->files[at].has_layout = true;
            r->stripes[r->stripe_count++] =
                (struct stripe){ component->ost_ids[i], at };
        }
    }
    return rc;
}

static void on_fault(void *arg, enum darshan_fault fault, const char *what)
{
    struct reading *r = arg;
    if (fault == DARSHAN_FAULT_DAMAGED && r->faults)
        strbuf_addf(r->faults, "%s\n", what);
}

static void columns_find(struct reading *r)
{
    static const char *const names[] = { "POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN" };
    static const char *const f_names[] = { "POSIX_F_META_TIME", "POSIX_F_READ_TIME",
                                           "POSIX_F_WRITE_TIME",
                                           "POSIX_F_SLOWEST_RANK_TIME" };
    const struct darshan_module *posix = darshan_module(DARSHAN_POSIX);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        r->columns[i] = darshan_counter_find(posix, names[i]);
    for (size_t i = 0; i < COUNT_OF(f_names); i++)
        r->f_columns[i] = darshan_f_counter_find(posix, f_names[i]);
}

static int log_read(struct reading *r, struct darshan_log *log)
{
    const struct darshan_visitor posix = { on_posix, NULL, r };
    const struct darshan_visitor lustre = { on_layout, NULL, r };
    const struct darshan_header *header = darshan_log_header(log);
    int rc = 0;
    columns_find(r);
    for (unsigned i = 0; rc == 0 && i < header->slot_count; i++) {
        if (!darshan_log_is_readable(log, i))
            continue;
        if (header->slots[i].id == DARSHAN_POSIX)
            rc = darshan_log_read(log, i, &posix);
        else if (header->slots[i].id == DARSHAN_LUSTRE)
            rc = darshan_log_read(log, i, &lustre);
    }
    return rc;
}

static int by_ost(const void *a, const void *b)
{
    const struct stripe *x = a;
    const struct stripe *y = b;
    return x->ost < y->ost ? -1 : x->ost > y->ost;
}

static int by_r(const void *a, const void *b)
{
    const struct bad_ost_target *x = a;
    const struct bad_ost_target *y = b;
    if (isnan(x->r) || isnan(y->r))
        return isnan(x->r) - isnan(y->r);
    return x->r < y->r ? -1 : x->r > y->r;
}

/* The files that count stand at the front of speeds, in their place. */
static void files_count(struct reading *r, struct bad_ost *found, double *speeds)
{
    for (size_t i = 0; i < r->file_count; i++) {
        struct file *file = &r->files[i];
        bool has_speed = file->bytes > 0 && file->seconds > 0;
        found->no_speed += file->has_layout && !has_speed;
        found->no_layout += !file->has_layout;
        file->has_layout = file->has_layout && has_speed;
        if (!file->has_layout)
            continue;
        file->place = found->files;
        speeds[found->files++] = file->bytes / file->seconds;
    }
}

static void target_add(const struct reading *r, size_t first, size_t end,
                       const double *speeds, double *lies, struct bad_ost *found)
{
    struct bad_ost_target target = { .ost = r->stripes[first].ost };
    memset(lies, 0, found->files * sizeof *lies);
    for (size_t i = first; i < end; i++) {
        const struct file *file = &r->files[r->stripes[i].file];
        if (!file->has_layout || lies[file->place] > 0)
            continue;
        lies[file->place] = 1;
        target.files++;
    }
    if (target.files == 0)
        return;
    struct correlation c = correlate(lies, speeds, found->files);
    target.r = c.r;
    target.p = c.p;
    found->targets[found->target_count++] = target;
}

static int targets_find(struct reading *r, struct bad_ost *found)
{
    AUTO_FREE double *speeds = calloc(r->file_count + 1, sizeof *speeds);
    AUTO_FREE double *lies = calloc(r->file_count + 1, sizeof *lies);
    found->targets = calloc(r->stripe_count + 1, sizeof *found->targets);
    if (!speeds || !lies || !found->targets)
        return -ENOMEM;
    files_count(r, found, speeds);
    qsort(r->stripes, r->stripe_count, sizeof *r->stripes, by_ost);
    for (size_t first = 0; first < r->stripe_count;) {
        size_t end = first + 1;
        while (end < r->stripe_count && r->stripes[end].ost == r->stripes[first].ost)
            end++;
        target_add(r, first, end, speeds, lies, found);
        first = end;
    }
    for (size_t i = 0; i < found->target_count; i++)
        found->targets[i].p_many =
            fmin(1, found->targets[i].p * (double)found->target_count);
    qsort(found->targets, found->target_count, sizeof *found->targets, by_r);
    return 0;
}

int bad_ost_find(const char *path, struct bad_ost *ret, struct strbuf *faults,
                 struct err *err)
{
    AUTO(darshan_log_close) struct darshan_log *log = NULL;
    AUTO(reading_done) struct reading r = { .faults = faults };
    AUTO(bad_ost_done) struct bad_ost found = { 0 };
    const struct darshan_opts opts = { .on_fault = on_fault, .arg = &r };
    int rc = darshan_log_open(path, &opts, &log, err);
    if (rc < 0)
        return rc;
    rc = log_read(&r, log);
    if (rc == 0 && r.stripe_count > 0)
        rc = targets_find(&r, &found);
    if (rc < 0)
        return err_set(err, -rc, "%s: %s", path, strerror(-rc));
    if (found.target_count == 0)
        return err_set(err, ENODATA, "%s: no file has both a speed and a layout", path);
    *ret = found;
    found.targets = NULL;
    return 0;
}

void bad_ost_done(struct bad_ost *found)
{
    free(found->targets);
    *found = (struct bad_ost){ 0 };
}
