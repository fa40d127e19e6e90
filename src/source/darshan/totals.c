/* SPDX-License-Identifier: Apache-2.0 */
/* totals - one module's records added up: counters, files by kind, and performance. */
#include "source/darshan/totals.h"

#include "base/span.h"

#include "source/darshan/common.h"

#include <assert.h>

#define FILES_MAX_DEFAULT ((size_t)4 << 20)
#define COMMONS_MAX 2 /* strides and access sizes */
#define MIB 1048576.0

/* How one counter is added up; found by its name, once. */
enum rule {
    RULE_SUM, /* -1 when it is negative: a counter that is not known */
    RULE_LAST,
    RULE_MAX,
    RULE_FIRST_TIME, /* the least of those above 0 */
    RULE_COMMON,     /* the first of four values, whose counts are the next four */
    RULE_APART,      /* with another counter, or by the whole record */
};

struct file {
    int64_t bytes_read;
    int64_t bytes_written;
    int64_t max_byte;
    int64_t ranks; /* -1: all */
};

struct rank {
    double io_s;
    double meta_s;
    double rw_s;
};

/* Welford's running variance: of the whole population. */
struct spread {
    double count, mean, squares;
};

/* Where the counters stand that are treated apart; -1: the module has none. */
struct places {
    int bytes_read, bytes_written, max_byte_read, max_byte_written;
    int max_read_size, max_write_size;
    int fastest_rank, slowest_rank; /* the next one of each is its bytes */
    int read_time, write_time, meta_time, max_read_time, max_write_time;
    int fastest_time, slowest_time, variance_time, variance_bytes;
};

struct darshan_totals {
    const struct darshan_module *module;
    struct places at;
    enum rule rules[DARSHAN_COUNTERS_MAX];
    enum rule f_rules[DARSHAN_F_COUNTERS_MAX];
    struct darshan_common commons[COMMONS_MAX]; /* in the order of their counters */
    struct darshan_summary sum;
    struct spread time;
    struct spread bytes;
    uint64_t first_id;       /* of the first record */
    bool is_mixed;           /* records of other ids came after it */
    struct hashmap file_map; /* record id -> 1 + place in files */
    struct file *files;
    size_t file_count, file_capacity, files_max;
    struct hashmap rank_map; /* rank -> 1 + place in ranks */
    struct rank *ranks;
    size_t rank_count, rank_capacity;
};

const char *darshan_category_name(enum darshan_category category)
{
    static const char *const names[] = {
        "total",  "read_only", "write_only",  "read_write",
        "unique", "shared",    "part_shared",
    };
    return names[category];
}

bool darshan_totals_fit(const struct darshan_module *module)
{
    return module == darshan_module(DARSHAN_POSIX) ||
           module == darshan_module(DARSHAN_MPIIO) ||
           module == darshan_module(DARSHAN_STDIO) ||
           module == darshan_module(DARSHAN_DFS) ||
           module == darshan_module(DARSHAN_DAOS);
}

static bool ends(const char *name, const char *suffix)
{
    return span_ends(span_of(name), suffix);
}

static enum rule counter_rule(const char *name)
{
    if (ends(name, "_MODE") || ends(name, "_ALIGNMENT") ||
        ends(name, "_RENAMED_FROM") || ends(name, "_CHUNK_SIZE") ||
        ends(name, "_CELL_SIZE") || ends(name, "_OTYPE"))
        return RULE_LAST;
    if (ends(name, "_MAX_BYTE_READ") || ends(name, "_MAX_BYTE_WRITTEN"))
        return RULE_MAX;
    if (ends(name, "_STRIDE1_STRIDE") || ends(name, "_ACCESS1_ACCESS"))
        return RULE_COMMON;
    if (strstr(name, "_STRIDE") || strstr(name, "_ACCESS") ||
        strstr(name, "EST_RANK") || ends(name, "_TIME_SIZE"))
        return RULE_APART;
    return RULE_SUM;
}

static enum rule f_counter_rule(const char *name)
{
    if (ends(name, "_START_TIMESTAMP"))
        return RULE_FIRST_TIME;
    if (ends(name, "_END_TIMESTAMP"))
        return RULE_MAX;
    if (strstr(name, "_F_MAX_") || strstr(name, "_RANK_"))
        return RULE_APART;
    return RULE_SUM;
}

static int place(const struct darshan_module *m, const char *suffix)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s_%s", m->prefix, suffix);
    return suffix[0] == 'F' && suffix[1] == '_' ? darshan_f_counter_find(m, name)
                                                : darshan_counter_find(m, name);
}

static void find_places(struct darshan_totals *t)
{
    const struct {
        int *place;
        const char *suffix;
    } wanted[] = {
        { &t->at.bytes_read, "BYTES_READ" },
        { &t->at.bytes_written, "BYTES_WRITTEN" },
        { &t->at.max_byte_read, "MAX_BYTE_READ" },
        { &t->at.max_byte_written, "MAX_BYTE_WRITTEN" },
        { &t->at.max_read_size, "MAX_READ_TIME_SIZE" },
        { &t->at.max_write_size, "MAX_WRITE_TIME_SIZE" },
        { &t->at.fastest_rank, "FASTEST_RANK" },
        { &t->at.slowest_rank, "SLOWEST_RANK" },
        { &t->at.read_time, "F_READ_TIME" },
        { &t->at.write_time, "F_WRITE_TIME" },
        { &t->at.meta_time, "F_META_TIME" },
        { &t->at.max_read_time, "F_MAX_READ_TIME" },
        { &t->at.max_write_time, "F_MAX_WRITE_TIME" },
        { &t->at.fastest_time, "F_FASTEST_RANK_TIME" },
        { &t->at.slowest_time, "F_SLOWEST_RANK_TIME" },
        { &t->at.variance_time, "F_VARIANCE_RANK_TIME" },
        { &t->at.variance_bytes, "F_VARIANCE_RANK_BYTES" },
    };
    for (size_t i = 0; i < COUNT_OF(wanted); i++)
        *wanted[i].place = place(t->module, wanted[i].suffix);
    for (size_t i = 0; i < t->module->counter_count; i++)
        t->rules[i] = counter_rule(t->module->counter_names[i]);
    for (size_t i = 0; i < t->module->f_counter_count; i++)
        t->f_rules[i] = f_counter_rule(t->module->f_counter_names[i]);
}

int darshan_totals_new(const struct darshan_module *module, size_t files_max,
                       struct darshan_totals **ret)
{
    assert(darshan_totals_fit(module));
    struct darshan_totals *t = calloc(1, sizeof *t);
    if (!t)
        return -ENOMEM;
    t->module = module;
    t->files_max = files_max > 0 ? files_max : FILES_MAX_DEFAULT;
    for (size_t i = 0; i < COMMONS_MAX; i++)
        t->commons[i].values_max = files_max;
    find_places(t);
    *ret = t;
    return 0;
}

void darshan_totals_free(struct darshan_totals *t)
{
    if (!t)
        return;
    hashmap_done(&t->file_map);
    hashmap_done(&t->rank_map);
    for (size_t i = 0; i < COMMONS_MAX; i++)
        darshan_common_done(&t->commons[i]);
    free(t->files);
    free(t->ranks);
    free(t);
}

/* Sums of numbers from outside may pass the end: they wrap, they do not trap. */
static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* ---- counters ---- */

static int add_common(struct darshan_totals *t, const int64_t *values)
{
    size_t common = 0;
    for (size_t i = 0; i < t->module->counter_count; i++) {
        if (t->rules[i] != RULE_COMMON)
            continue;
        assert(common < COMMONS_MAX);
        int rc = darshan_common_add(&t->commons[common++], values + i);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static void add_counters(struct darshan_totals *t, const int64_t *values)
{
    int64_t *sum = t->sum.counters;
    for (size_t i = 0; i < t->module->counter_count; i++) {
        switch (t->rules[i]) {
        case RULE_SUM:
            sum[i] = add(sum[i], values[i]);
            if (sum[i] < 0)
                sum[i] = -1;
            break;
        case RULE_LAST:
            sum[i] = values[i];
            break;
        case RULE_MAX:
            if (values[i] > sum[i])
                sum[i] = values[i];
            break;
        case RULE_COMMON:
        case RULE_FIRST_TIME:
        case RULE_APART:
            break;
        }
    }
}

static void add_f_counters(struct darshan_totals *t, const double *values)
{
    double *sum = t->sum.f_counters;
    for (size_t i = 0; i < t->module->f_counter_count; i++) {
        switch (t->f_rules[i]) {
        case RULE_SUM:
            sum[i] += values[i];
            break;
        case RULE_MAX:
            if (values[i] > sum[i])
                sum[i] = values[i];
            break;
        case RULE_FIRST_TIME:
            if (values[i] > 0 && (sum[i] == 0 || values[i] < sum[i]))
                sum[i] = values[i];
            break;
        case RULE_LAST:
        case RULE_COMMON:
        case RULE_APART:
            break;
        }
    }
}

/* The longest read or write, and how many bytes it moved. */
static void add_longest(struct darshan_totals *t, const struct darshan_record *r,
                        int time, int size)
{
    if (time < 0 || !(r->f_counters[time] > t->sum.f_counters[time]))
        return;
    t->sum.f_counters[time] = r->f_counters[time];
    t->sum.counters[size] = r->counters[size];
}

static double spread_add(struct spread *s, double value)
{
    double old = s->mean;
    s->count += 1;
    s->mean += (value - old) / s->count;
    s->squares += (value - s->mean) * (value - old);
    return s->squares / s->count;
}

/* One rank's bytes and time as the fastest's or the slowest's of the sum. */
static void set_rank(struct darshan_totals *t, int rank_at, int time_at, int64_t rank,
                     int64_t bytes, double io_s)
{
    t->sum.counters[rank_at] = rank;
    t->sum.counters[rank_at + 1] = bytes;
    t->sum.f_counters[time_at] = io_s;
}

static void set_shared_rank(struct darshan_totals *t, const struct darshan_record *r,
                            int rank_at, int time_at)
{
    set_rank(t, rank_at, time_at, r->counters[rank_at], r->counters[rank_at + 1],
             r->f_counters[time_at]);
}

/* The fastest and the slowest rank are reported for one file.  Of several files no rank
 * is the fastest in a sense that one could use: then these are -1, and their times 0.
 */
static void add_ranks(struct darshan_totals *t, const struct darshan_record *r,
                      double io_s, int64_t bytes)
{
    const struct places *at = &t->at;
    double *f = t->sum.f_counters;
    if (t->sum.records == 0)
        t->first_id = r->id;
    t->is_mixed = t->is_mixed || r->id != t->first_id;
    double time_variance = spread_add(&t->time, io_s);
    double bytes_variance = spread_add(&t->bytes, (double)bytes);
    if (t->is_mixed) {
        set_rank(t, at->fastest_rank, at->fastest_time, -1, -1, 0);
        set_rank(t, at->slowest_rank, at->slowest_time, -1, -1, 0);
        time_variance = 0;
        bytes_variance = 0;
    } else if (t->sum.records == 0 && r->rank < 0) {
        set_shared_rank(t, r, at->fastest_rank, at->fastest_time);
        set_shared_rank(t, r, at->slowest_rank, at->slowest_time);
    } else {
        bool is_first = t->sum.records == 0;
        if (is_first || io_s < f[at->fastest_time])
            set_rank(t, at->fastest_rank, at->fastest_time, r->rank, bytes, io_s);
        if (is_first || io_s > f[at->slowest_time])
            set_rank(t, at->slowest_rank, at->slowest_time, r->rank, bytes, io_s);
    }
    if (at->variance_time < 0)
        return; /* of DFS and DAOS */
    f[at->variance_time] = time_variance;
    f[at->variance_bytes] = bytes_variance;
}

/* ---- files and ranks ---- */

/* Room for one more; -ENOMEM leaves all as it was. */
static int grow(void **items, size_t count, size_t *capacity, size_t item_size)
{
    if (count < *capacity)
        return 0;
    size_t wanted = *capacity > 0 ? *capacity * 2 : 64;
    void *more = realloc(*items, wanted * item_size);
    if (!more)
        return -ENOMEM;
    *items = more;
    *capacity = wanted;
    return 0;
}

static int find_file(struct darshan_totals *t, uint64_t id, struct file **ret)
{
    struct span key = { (const char *)&id, sizeof id };
    uintptr_t *at = hashmap_get(&t->file_map, key);
    *ret = NULL;
    if (!at) {
        if (t->file_count >= t->files_max) {
            t->sum.files_left_out++;
            return 0;
        }
        if (grow((void **)&t->files, t->file_count, &t->file_capacity,
                 sizeof *t->files) < 0)
            return -ENOMEM;
        at = hashmap_put(&t->file_map, key, NULL);
        if (!at)
            return -ENOMEM;
        t->files[t->file_count] = (struct file){ 0 };
        *at = ++t->file_count;
    }
    *ret = &t->files[*at - 1];
    return 0;
}

static int64_t max_byte(const struct darshan_totals *t, const int64_t *counters)
{
    if (t->at.max_byte_read < 0)
        return -1;
    int64_t read = counters[t->at.max_byte_read];
    int64_t written = counters[t->at.max_byte_written];
    return read > written ? read : written;
}

static int add_file(struct darshan_totals *t, const struct darshan_record *r)
{
    struct file *file = NULL;
    int rc = find_file(t, r->id, &file);
    if (rc < 0 || !file)
        return rc;
    int64_t offset = max_byte(t, r->counters);
    file->bytes_read = add(file->bytes_read, r->counters[t->at.bytes_read]);
    file->bytes_written = add(file->bytes_written, r->counters[t->at.bytes_written]);
    if (offset == -1)
        file->max_byte = -1;
    else if (offset > file->max_byte)
        file->max_byte = offset;
    file->ranks = r->rank < 0 ? -1 : add(file->ranks, 1);
    return 0;
}

static int add_rank(struct darshan_totals *t, int64_t rank, double io_s, double meta_s,
                    double rw_s)
{
    struct span key = { (const char *)&rank, sizeof rank };
    uintptr_t *at = hashmap_get(&t->rank_map, key);
    if (!at) {
        if (grow((void **)&t->ranks, t->rank_count, &t->rank_capacity,
                 sizeof *t->ranks) < 0)
            return -ENOMEM;
        at = hashmap_put(&t->rank_map, key, NULL);
        if (!at)
            return -ENOMEM;
        t->ranks[t->rank_count] = (struct rank){ 0 };
        *at = ++t->rank_count;
    }
    struct rank *r = &t->ranks[*at - 1];
    r->io_s += io_s;
    r->meta_s += meta_s;
    r->rw_s += rw_s;
    return 0;
}

int darshan_totals_add(struct darshan_totals *t, const struct darshan_record *r)
{
    const struct places *at = &t->at;
    double rw_s = r->f_counters[at->read_time] + r->f_counters[at->write_time];
    double meta_s = r->f_counters[at->meta_time];
    double io_s = meta_s + rw_s;
    int64_t bytes = add(r->counters[at->bytes_read], r->counters[at->bytes_written]);
    int rc = add_file(t, r);
    if (rc == 0 && r->rank >= 0)
        rc = add_rank(t, r->rank, io_s, meta_s, rw_s);
    if (rc == 0)
        rc = add_common(t, r->counters);
    if (rc < 0)
        return rc;
    if (r->rank < 0)
        t->sum.shared_io_s += r->f_counters[at->slowest_time];
    add_counters(t, r->counters);
    add_f_counters(t, r->f_counters);
    add_longest(t, r, at->max_read_time, at->max_read_size);
    add_longest(t, r, at->max_write_time, at->max_write_size);
    add_ranks(t, r, io_s, bytes);
    t->sum.bytes = add(t->sum.bytes, bytes);
    t->sum.records++;
    return 0;
}

static void count_file(struct darshan_files *files, const struct file *file)
{
    files->count++;
    files->bytes = add(files->bytes, add(file->bytes_read, file->bytes_written));
    if (file->max_byte == -1) {
        files->max_byte = -1;
        files->max_bytes_sum = -1;
        return;
    }
    files->max_bytes_sum = add(files->max_bytes_sum, file->max_byte);
    if (file->max_byte > files->max_byte)
        files->max_byte = file->max_byte;
}

static void count_files(const struct darshan_totals *t, struct darshan_files *files)
{
    for (size_t i = 0; i < t->file_count; i++) {
        const struct file *file = &t->files[i];
        bool is_read = file->bytes_read > 0;
        bool is_written = file->bytes_written > 0;
        count_file(&files[DARSHAN_ALL_FILES], file);
        if (is_read && file->bytes_written == 0)
            count_file(&files[DARSHAN_READ_ONLY], file);
        else if (is_written && file->bytes_read == 0)
            count_file(&files[DARSHAN_WRITE_ONLY], file);
        else if (is_read && is_written)
            count_file(&files[DARSHAN_READ_WRITE], file);
        if (file->ranks == 1)
            count_file(&files[DARSHAN_UNIQUE], file);
        else if (file->ranks == -1)
            count_file(&files[DARSHAN_SHARED], file);
        else
            count_file(&files[DARSHAN_PART_SHARED], file);
    }
}

static void tell_common(const struct darshan_totals *t, struct darshan_summary *ret)
{
    size_t common = 0;
    for (size_t i = 0; i < t->module->counter_count; i++) {
        if (t->rules[i] != RULE_COMMON)
            continue;
        darshan_common_top(&t->commons[common], ret->counters + i);
        ret->values_left_out += t->commons[common++].left_out;
    }
}

void darshan_totals_summary(const struct darshan_totals *t, struct darshan_summary *ret)
{
    size_t cursor = 0;
    struct span key;
    uintptr_t *at;
    *ret = t->sum;
    count_files(t, ret->files);
    tell_common(t, ret);
    while (hashmap_next(&t->rank_map, &cursor, &key, &at)) {
        const struct rank *r = &t->ranks[*at - 1];
        int64_t rank;
        memcpy(&rank, key.data, sizeof rank);
        bool is_tie = r->io_s == ret->slowest_rank_io_s && rank < ret->slowest_rank;
        if (!(r->io_s > ret->slowest_rank_io_s) && !is_tie)
            continue;
        ret->slowest_rank = rank;
        ret->slowest_rank_io_s = r->io_s;
        ret->slowest_rank_meta_s = r->meta_s;
        ret->slowest_rank_rw_s = r->rw_s;
    }
    ret->io_s = ret->slowest_rank_io_s + ret->shared_io_s;
    if (ret->io_s != 0)
        ret->mib_per_s = (double)ret->bytes / MIB / ret->io_s;
}
