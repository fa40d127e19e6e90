/* SPDX-License-Identifier: Apache-2.0 */
/* log_work - what was done through each interface, and in each file. */
#include "analysis/log/log_work.h"

#include "analysis/log/log_gaps.h"
#include "analysis/log/record_columns.h"
#include "base/span.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 8

/* Where the counters of a module are that add up to one number. */
struct columns {
    int at[COLUMNS_MAX];
    size_t count;
};

struct module_columns {
    struct columns bytes_read, bytes_written, reads, writes, calls;
    int read_time, write_time, meta_time; /* -1: it has none */
    int read_sizes, write_sizes;
};

struct work_reading {
    struct darshan_log *log;
    struct log_work *work;
    struct log_interface *interface;
    enum darshan_module_id id;
    bool is_of_files;
    struct module_columns at;
    struct record_columns columns;
};

static struct columns columns_find(const struct darshan_module *module,
                                   const char *const *names, size_t count)
{
    struct columns ret = { .count = 0 };
    for (size_t i = 0; i < count && ret.count < COLUMNS_MAX; i++) {
        int at = record_column_find(module, names[i]);
        if (at >= 0)
            ret.at[ret.count++] = at;
    }
    return ret;
}

static int sizes_find(const struct darshan_module *module, const char *of_posix,
                      const char *of_others)
{
    int at = record_column_find(module, of_posix);
    return at >= 0 ? at : record_column_find(module, of_others);
}

static struct module_columns module_columns(const struct darshan_module *module)
{
    static const char *const bytes_read[] = { "BYTES_READ" };
    static const char *const bytes_written[] = { "BYTES_WRITTEN" };
    static const char *const reads[] = { "READS",       "READXS",     "INDEP_READS",
                                         "COLL_READS",  "NB_READS",   "SPLIT_READS",
                                         "OBJ_FETCHES", "ARRAY_READS" };
    static const char *const writes[] = { "WRITES",      "WRITEXS",     "INDEP_WRITES",
                                          "COLL_WRITES", "NB_WRITES",   "SPLIT_WRITES",
                                          "OBJ_UPDATES", "ARRAY_WRITES" };
    static const char *const calls[] = { "OPENS",   "STATS",       "FSYNCS",
                                         "FDSYNCS", "INDEP_OPENS", "COLL_OPENS",
                                         "SYNCS",   "FLUSHES" };
    return (struct module_columns){
        .bytes_read = columns_find(module, bytes_read, COUNT_OF(bytes_read)),
        .bytes_written = columns_find(module, bytes_written, COUNT_OF(bytes_written)),
        .reads = columns_find(module, reads, COUNT_OF(reads)),
        .writes = columns_find(module, writes, COUNT_OF(writes)),
        .calls = columns_find(module, calls, COUNT_OF(calls)),
        .read_time = record_column_find(module, "F_READ_TIME"),
        .write_time = record_column_find(module, "F_WRITE_TIME"),
        .meta_time = record_column_find(module, "F_META_TIME"),
        .read_sizes = sizes_find(module, "SIZE_READ_0_100", "SIZE_READ_AGG_0_100"),
        .write_sizes = sizes_find(module, "SIZE_WRITE_0_100", "SIZE_WRITE_AGG_0_100"),
    };
}

/* -1 is a counter that is not known. */
static double counters_sum(const struct columns *columns,
                           const struct darshan_record *record)
{
    double sum = 0;
    for (size_t i = 0; i < columns->count; i++)
        if (record->counters[columns->at[i]] > 0)
            sum += (double)record->counters[columns->at[i]];
    return sum;
}

static double seconds_of(const struct darshan_record *record, int column)
{
    double value = column >= 0 ? record->f_counters[column] : 0;
    return value > 0 && isfinite(value) ? value : 0;
}

static void sums_add(struct log_sums *to, const struct module_columns *at,
                     const struct darshan_record *record)
{
    to->bytes_read += counters_sum(&at->bytes_read, record);
    to->bytes_written += counters_sum(&at->bytes_written, record);
    to->reads += counters_sum(&at->reads, record);
    to->writes += counters_sum(&at->writes, record);
    to->calls += counters_sum(&at->calls, record);
    to->read_s += seconds_of(record, at->read_time);
    to->write_s += seconds_of(record, at->write_time);
    to->meta_s += seconds_of(record, at->meta_time);
}

static void sizes_add(struct log_interface *to, const struct module_columns *at,
                      const struct darshan_record *record)
{
    to->has_sizes = at->read_sizes >= 0 && at->write_sizes >= 0;
    for (int i = 0; to->has_sizes && i < LOG_SIZE_CLASSES; i++) {
        int64_t reads = record->counters[at->read_sizes + i];
        int64_t writes = record->counters[at->write_sizes + i];
        to->read_sizes[i] += reads > 0 ? (double)reads : 0;
        to->write_sizes[i] += writes > 0 ? (double)writes : 0;
    }
}

/* ---- files ---- */

/* *ret NULL: there are too many. */
static int file_find(struct work_reading *r, uint64_t id, struct log_file **ret)
{
    struct log_work *work = r->work;
    struct span key = { (const char *)&id, sizeof id };
    const uintptr_t *found = hashmap_get(&work->indices, key);
    *ret = found ? &work->files[*found - 1] : NULL;
    if (found)
        return 0;
    work->left_out += work->file_count == LOG_WORK_FILES_MAX;
    if (work->file_count == LOG_WORK_FILES_MAX)
        return 0;
    if (work->file_count == work->capacity) {
        size_t capacity = work->capacity ? 2 * work->capacity : 64;
        struct log_file *grown = realloc(work->files, capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        work->files = grown;
        work->capacity = capacity;
    }
    uintptr_t *at = hashmap_put(&work->indices, key, NULL);
    if (!at)
        return -ENOMEM;
    *at = work->file_count + 1;
    *ret = &work->files[work->file_count++];
    **ret = (struct log_file){ .name = darshan_log_name(r->log, id),
                               .first = r->id,
                               .stripes = -1 };
    return 0;
}

static int file_add(struct work_reading *r, const struct darshan_record *record)
{
    static const uint32_t outer = LOG_BIT(DARSHAN_MPIIO) | LOG_BIT(DARSHAN_DFS);
    struct log_file *file;
    int rc = file_find(r, record->id, &file);
    if (rc < 0 || !file)
        return rc;
    bool is_inside = (file->interfaces & outer & ~LOG_BIT(r->id)) != 0;
    file->interfaces |= LOG_BIT(r->id);
    if (is_inside)
        return 0;
    if (file->first == r->id) {
        const struct darshan_job *job = darshan_log_job(r->log);
        file->processes += record->rank >= 0 || job->nprocs < 1 ? 1 : job->nprocs;
    }
    sums_add(&file->sums, &r->at, record);
    return 0;
}

static int work_record(void *arg, const struct darshan_record *record)
{
    struct work_reading *r = arg;
    bool has_times =
        r->at.read_time >= 0 && r->at.write_time >= 0 && r->at.meta_time >= 0;
    if (has_times && record_is_negative(record, &r->columns))
        return 0; /* its numbers cannot be so: as the profile leaves them out */
    r->interface->records++;
    sums_add(&r->interface->sums, &r->at, record);
    sizes_add(r->interface, &r->at, record);
    return r->is_of_files ? file_add(r, record) : 0;
}

/* Only of files that were used. */
static int layout_record(void *arg, const struct darshan_record *record)
{
    struct work_reading *r = arg;
    struct span key = { (const char *)&record->id, sizeof record->id };
    const uintptr_t *at = hashmap_get(&r->work->indices, key);
    if (at && record->stripe_count > 0)
        r->work->files[*at - 1].stripes = record->stripe_count;
    return 0;
}

/* ---- the log ---- */

static int slots_read(struct work_reading *r, enum darshan_module_id id,
                      const struct darshan_visitor *visitor)
{
    const struct darshan_header *header = darshan_log_header(r->log);
    int rc = 0;
    for (unsigned slot = 0; rc == 0 && slot < header->slot_count; slot++)
        if (header->slots[slot].id == id && darshan_log_is_readable(r->log, slot))
            rc = darshan_log_read(r->log, slot, visitor);
    return rc;
}

int log_work_read(struct darshan_log *log, struct log_work *ret)
{
    /* As calls go down; files are of the last five, the outer ones before the inner. */
    static const enum darshan_module_id ids[LOG_WORK_INTERFACES_MAX] = {
        DARSHAN_H5F,         DARSHAN_H5D,   DARSHAN_PNETCDF_FILE,
        DARSHAN_PNETCDF_VAR, DARSHAN_MPIIO, DARSHAN_DFS,
        DARSHAN_POSIX,       DARSHAN_STDIO, DARSHAN_DAOS,
    };
    struct work_reading r = { .log = log, .work = ret };
    const struct darshan_visitor records = { work_record, NULL, &r };
    const struct darshan_visitor layouts = { layout_record, NULL, &r };
    int rc = 0;
    *ret = (struct log_work){ .interface_count = 0 };
    for (size_t i = 0; i < COUNT_OF(ids) && rc == 0; i++) {
        const struct darshan_module *module = darshan_module(ids[i]);
        r.id = ids[i];
        r.is_of_files = i >= 4;
        r.at = module_columns(module);
        r.columns = record_columns_of(module);
        r.interface = &ret->interfaces[ret->interface_count];
        *r.interface = (struct log_interface){ .name = module->name };
        rc = slots_read(&r, ids[i], &records);
        ret->interface_count += r.interface->records > 0;
    }
    return rc == 0 ? slots_read(&r, DARSHAN_LUSTRE, &layouts) : rc;
}

void log_work_done(struct log_work *work)
{
    free(work->files);
    hashmap_done(&work->indices);
    *work = (struct log_work){ .interface_count = 0 };
}

/* ---- what stands first ---- */

double log_sums_bytes(const struct log_sums *sums)
{
    return sums->bytes_read + sums->bytes_written;
}

double log_sums_seconds(const struct log_sums *sums)
{
    return sums->read_s + sums->write_s + sums->meta_s;
}

size_t log_work_top(const struct log_work *work, enum log_work_order order,
                    const struct log_file *ret[static LOG_WORK_TOP])
{
    double weights[LOG_WORK_TOP];
    size_t count = 0;
    for (size_t i = 0; i < work->file_count; i++) {
        const struct log_file *file = &work->files[i];
        double weight = order == LOG_WORK_BY_TIME ? log_sums_seconds(&file->sums)
                                                  : log_sums_bytes(&file->sums);
        size_t at = count;
        while (at > 0 && weights[at - 1] < weight)
            at--;
        if (!(weight > 0) || at == LOG_WORK_TOP)
            continue;
        count += count < LOG_WORK_TOP;
        for (size_t j = count - 1; j > at; j--) {
            weights[j] = weights[j - 1];
            ret[j] = ret[j - 1];
        }
        weights[at] = weight;
        ret[at] = file;
    }
    return count;
}

void log_file_interfaces_print(const struct log_file *file, struct strbuf *out)
{
    const char *between = "";
    for (unsigned id = 0; id < DARSHAN_UNKNOWN; id++) {
        if (!(file->interfaces & LOG_BIT(id)))
            continue;
        strbuf_addf(out, "%s%s", between,
                    darshan_module((enum darshan_module_id)id)->name);
        between = ", ";
    }
}

const char *log_size_class(size_t index)
{
    static const char *const names[LOG_SIZE_CLASSES] = {
        "0 to 100 B",       "100 B to 1 KiB", "1 to 10 KiB", "10 to 100 KiB",
        "100 KiB to 1 MiB", "1 to 4 MiB",     "4 to 10 MiB", "10 to 100 MiB",
        "100 MiB to 1 GiB", "1 GiB and more",
    };
    return index < LOG_SIZE_CLASSES ? names[index] : "";
}
