/* SPDX-License-Identifier: Apache-2.0 */
/* test_counters - every version of every module of counters, as any format holds it. */
#include "base/test/testing.h"
#include "source/darshan/test/log_maker.h"

#define NAMES_MAX 6

/* What a version lacks, by name: the others lie in the log in the newest order. */
static const struct module_case {
    enum darshan_module_id id;
    uint32_t version;
    size_t record_bytes;
    const char *missing[NAMES_MAX];
    const char *f_missing[NAMES_MAX];
    size_t dropped_at, dropped; /* words that are nobody's */
    size_t pad_bytes;
    bool has_file_id;
} module_cases[] = {
    { DARSHAN_POSIX,
      1,
      680,
      { "POSIX_FILENOS", "POSIX_DUPS", "POSIX_RENAME_SOURCES", "POSIX_RENAME_TARGETS",
        "POSIX_RENAMED_FROM" },
      { "POSIX_F_CLOSE_START_TIMESTAMP", "POSIX_F_OPEN_END_TIMESTAMP" },
      6,
      4,
      0,
      false },
    { DARSHAN_POSIX,
      2,
      648,
      { "POSIX_FILENOS", "POSIX_DUPS", "POSIX_RENAME_SOURCES", "POSIX_RENAME_TARGETS",
        "POSIX_RENAMED_FROM" },
      { "POSIX_F_CLOSE_START_TIMESTAMP", "POSIX_F_OPEN_END_TIMESTAMP" },
      0,
      0,
      0,
      false },
    { DARSHAN_POSIX,
      3,
      664,
      { "POSIX_FILENOS", "POSIX_DUPS", "POSIX_RENAME_SOURCES", "POSIX_RENAME_TARGETS",
        "POSIX_RENAMED_FROM" },
      { 0 },
      0,
      0,
      0,
      false },
    { DARSHAN_POSIX, 4, 704, { 0 }, { 0 }, 0, 0, 0, false },
    { DARSHAN_MPIIO,
      1,
      544,
      { 0 },
      { "MPIIO_F_CLOSE_START_TIMESTAMP", "MPIIO_F_OPEN_END_TIMESTAMP" },
      0,
      0,
      0,
      false },
    { DARSHAN_MPIIO,
      2,
      544,
      { 0 },
      { "MPIIO_F_CLOSE_START_TIMESTAMP", "MPIIO_F_OPEN_END_TIMESTAMP" },
      0,
      0,
      0,
      false },
    { DARSHAN_MPIIO, 3, 560, { 0 }, { 0 }, 0, 0, 0, false },
    { DARSHAN_STDIO, 1, 240, { "STDIO_FDOPENS" }, { 0 }, 0, 0, 0, false },
    { DARSHAN_STDIO, 2, 248, { 0 }, { 0 }, 0, 0, 0, false },
    { DARSHAN_H5F,
      1,
      40,
      { "H5F_FLUSHES", "H5F_USE_MPIIO" },
      { "H5F_F_CLOSE_START_TIMESTAMP", "H5F_F_OPEN_END_TIMESTAMP", "H5F_F_META_TIME" },
      0,
      0,
      0,
      false },
    { DARSHAN_H5F,
      2,
      56,
      { "H5F_FLUSHES", "H5F_USE_MPIIO" },
      { "H5F_F_META_TIME" },
      0,
      0,
      0,
      false },
    { DARSHAN_H5F, 3, 80, { 0 }, { 0 }, 0, 0, 0, false },
    { DARSHAN_H5D, 1, 904, { 0 }, { 0 }, 0, 0, 0, false },
    { DARSHAN_H5D, 2, 912, { 0 }, { 0 }, 0, 0, 0, true },
    { DARSHAN_PNETCDF_FILE, 3, 152, { 0 }, { 0 }, 0, 0, 0, false },
    { DARSHAN_PNETCDF_VAR, 1, 1120, { 0 }, { 0 }, 0, 0, 0, true },
    { DARSHAN_BGQ, 1, 120, { 0 }, { 0 }, 0, 0, 8, false },
    { DARSHAN_BGQ, 2, 112, { 0 }, { 0 }, 0, 0, 0, false },
};

static bool is_in(const char *const *names, const char *name)
{
    for (size_t i = 0; i < NAMES_MAX && names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* The n-th record of a case: its words count up, so that each place has its own. */
static uint64_t word(size_t record, size_t i)
{
    return 1000000 * (record + 1) + i;
}

static double real(size_t record, size_t i)
{
    return (double)(record + 1) + (double)i / 64;
}

static void put_record(struct log_maker *m, const struct module_case *c, unsigned slot,
                       size_t n)
{
    const struct darshan_module *module = darshan_module(c->id);
    struct strbuf *to = &m->slots[slot];
    size_t from = to->size;
    size_t place = 0;
    log_u64(m, to, 77 + n);
    log_u64(m, to, n == 0 ? UINT64_MAX : n);
    log_text(to, "", c->pad_bytes);
    if (c->has_file_id)
        log_u64(m, to, 0xfeedfacecafebeef);
    for (size_t i = 0; i < module->counter_count; i++) {
        for (; c->dropped > 0 && place == c->dropped_at; place += c->dropped)
            for (size_t k = 0; k < c->dropped; k++)
                log_u64(m, to, 0);
        if (is_in(c->missing, module->counter_names[i]))
            continue;
        log_u64(m, to, word(n, i));
        place++;
    }
    for (size_t i = 0; i < module->f_counter_count; i++)
        if (!is_in(c->f_missing, module->f_counter_names[i]))
            log_double(m, to, real(n, i));
    if (to->size - from != c->record_bytes)
        fail_msg("%s version %u: the table makes %zu bytes, not %zu", module->name,
                 c->version, to->size - from, c->record_bytes);
}

struct seen {
    const struct module_case *c;
    size_t count;
    size_t faults;
};

static void count_fault(void *arg, enum darshan_fault fault, const char *what)
{
    struct seen *seen = arg;
    (void)fault;
    (void)what;
    seen->faults++;
}

static int check_record(void *arg, const struct darshan_record *r)
{
    struct seen *seen = arg;
    const struct module_case *c = seen->c;
    size_t n = seen->count++;
    assert_int_equal(r->version, c->version);
    assert_true(r->id == 77 + n);
    assert_true(r->rank == (n == 0 ? -1 : (int64_t)n));
    assert_true(r->file_id == (c->has_file_id ? 0xfeedfacecafebeef : 0));
    for (size_t i = 0; i < r->module->counter_count; i++) {
        const char *name = r->module->counter_names[i];
        int64_t want = (int64_t)word(n, i);
        if (is_in(c->missing, name))
            want = strcmp(name, "POSIX_RENAMED_FROM") == 0 ? 0 : -1;
        if (r->counters[i] != want)
            fail_msg("%s version %u: %s is %lld, not %lld", r->module->name, c->version,
                     name, (long long)r->counters[i], (long long)want);
    }
    for (size_t i = 0; i < r->module->f_counter_count; i++) {
        const char *name = r->module->f_counter_names[i];
        double want = is_in(c->f_missing, name) ? -1 : real(n, i);
        if (r->f_counters[i] != want)
            fail_msg("%s version %u: %s is %f, not %f", r->module->name, c->version,
                     name, r->f_counters[i], want);
    }
    return 0;
}

static void check_case(const struct module_case *c, struct log_maker *m)
{
    AUTO(strbuf_done) struct strbuf data = STRBUF_INIT;
    AUTO(darshan_log_close) struct darshan_log *log = NULL;
    unsigned slot = log_slot(m, c->id);
    m->versions[slot] = c->version;
    log_job(m, "", "exe\n");
    for (size_t n = 0; n < 3; n++)
        put_record(m, c, slot, n);
    log_make(m, &data);
    struct seen seen = { .c = c };
    const struct darshan_opts opts = { .on_fault = count_fault, .arg = &seen };
    const struct darshan_visitor visitor = { check_record, NULL, &seen };
    assert_int_equal(darshan_log_open_memory(data.data, data.size, &opts, &log, NULL),
                     0);
    assert_true(darshan_log_is_readable(log, slot));
    assert_int_equal(darshan_log_read(log, slot, &visitor), 0);
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.faults, 0);
}

static void every_version_is_read_in_every_format(void **state)
{
    (void)state;
    static const unsigned numbers[] = { 300, 310, 320, 321, 341 };
    for (size_t c = 0; c < COUNT_OF(module_cases); c++)
        for (size_t n = 0; n < COUNT_OF(numbers); n++)
            for (unsigned variant = 0; variant < 6; variant++) {
                enum darshan_module_id id = module_cases[c].id;
                if ((id == DARSHAN_H5D && numbers[n] < 320) ||
                    (id == DARSHAN_PNETCDF_VAR && numbers[n] < 341))
                    continue; /* these had no slot yet */
                AUTO(log_maker_done)
                struct log_maker m = {
                    .number = numbers[n],
                    .is_big = variant % 2,
                    .compression = (enum darshan_compression)(variant / 2),
                    .members = 1 + variant,
                };
                check_case(&module_cases[c], &m);
            }
}

/* Three numbers as a big-endian log has them, byte by byte: the times that a reader who
 * skips the wrong words when turning bytes round would leave as they lie. */
static int check_floats(void *arg, const struct darshan_record *r)
{
    static const struct {
        const char *name;
        double want;
    } cases[] = {
        { "POSIX_F_META_TIME", 0.34375 },         /* 3f d6 00 00 00 00 00 00 */
        { "POSIX_F_MAX_READ_TIME", 0.21875 },     /* 3f cc 00 00 00 00 00 00 */
        { "POSIX_F_MAX_WRITE_TIME", 0.06640625 }, /* 3f b1 00 00 00 00 00 00 */
    };
    (void)arg;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int at = darshan_f_counter_find(r->module, cases[i].name);
        assert_true(at >= 0);
        assert_true(r->f_counters[at] == cases[i].want);
    }
    return 0;
}

static void floats_of_big_endian_records_are_turned_round(void **state)
{
    (void)state;
    static const uint8_t bytes[3][8] = { { 0x3f, 0xd6 },
                                         { 0x3f, 0xcc },
                                         { 0x3f, 0xb1 } };
    AUTO(log_maker_done) struct log_maker m = { .number = 310, .is_big = true };
    AUTO(strbuf_done) struct strbuf data = STRBUF_INIT;
    AUTO(darshan_log_close) struct darshan_log *log = NULL;
    m.versions[1] = 3;
    log_job(&m, "", "exe\n");
    log_text(&m.slots[1], "", 16 + 64 * 8 + 10 * 8);
    strbuf_add(&m.slots[1], bytes, sizeof bytes);
    log_text(&m.slots[1], "", 4 * 8);
    log_make(&m, &data);
    const struct darshan_visitor visitor = { check_floats, NULL, NULL };
    assert_int_equal(darshan_log_open_memory(data.data, data.size, NULL, &log, NULL),
                     0);
    assert_int_equal(darshan_log_read(log, 1, &visitor), 0);
}

static int sum_opens(void *arg, const struct darshan_record *r)
{
    static const double f_want[] = { 1.5, -1, -1, -1, 2.5, -1, -1, -1 };
    *(int64_t *)arg =
        r->counters[darshan_counter_find(r->module, "PNETCDF_FILE_OPENS")];
    assert_memory_equal(r->f_counters, f_want, sizeof f_want);
    assert_true(r->counters[0] == -1);
    return 0;
}

static void independent_and_collective_opens_of_pnetcdf_are_one_counter(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 300 };
    AUTO(strbuf_done) struct strbuf data = STRBUF_INIT;
    AUTO(darshan_log_close) struct darshan_log *log = NULL;
    unsigned slot = log_slot(&m, DARSHAN_PNETCDF_FILE);
    assert_int_equal(slot, 4);
    m.versions[slot] = 1;
    log_job(&m, "", "exe\n");
    for (uint64_t i = 0; i < 2; i++)
        log_u64(&m, &m.slots[slot], i);
    log_u64(&m, &m.slots[slot], 30);
    log_u64(&m, &m.slots[slot], 12);
    log_double(&m, &m.slots[slot], 1.5);
    log_double(&m, &m.slots[slot], 2.5);
    log_make(&m, &data);
    int64_t opens = 0;
    const struct darshan_visitor visitor = { sum_opens, NULL, &opens };
    assert_int_equal(darshan_log_open_memory(data.data, data.size, NULL, &log, NULL),
                     0);
    assert_int_equal(darshan_log_read(log, slot, &visitor), 0);
    assert_true(opens == 42);
}

static void a_record_that_mixes_stdio_calls_is_left_out_and_counted(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 300 };
    AUTO(strbuf_done) struct strbuf data = STRBUF_INIT;
    AUTO(darshan_log_close) struct darshan_log *log = NULL;
    struct seen seen = { .c = &module_cases[0] };
    m.versions[1] = 1;
    log_job(&m, "", "exe\n");
    put_record(&m, &module_cases[0], 1, 0);
    put_record(&m, &module_cases[0], 1, 0);
    m.slots[1].data[680 + 16 + 6 * 8] = 1; /* POSIX_FOPENS of the second */
    log_make(&m, &data);
    const struct darshan_opts opts = { .on_fault = count_fault, .arg = &seen };
    const struct darshan_visitor visitor = { check_record, NULL, &seen };
    assert_int_equal(darshan_log_open_memory(data.data, data.size, &opts, &log, NULL),
                     0);
    assert_int_equal(darshan_log_read(log, 1, &visitor), 0);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.faults, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_is_read_in_every_format),
        cmocka_unit_test(floats_of_big_endian_records_are_turned_round),
        cmocka_unit_test(independent_and_collective_opens_of_pnetcdf_are_one_counter),
        cmocka_unit_test(a_record_that_mixes_stdio_calls_is_left_out_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
