/* SPDX-License-Identifier: Apache-2.0 */
/* test_damage - logs that are cut or changed anywhere: nothing crashes, hangs, or
 * grows.
 *
 * Without arguments it runs over logs of its own, as they are and unpacked: damage
 * inside a compressed region seldom gets as far as the records.
 *
 *     test_source_darshan_damage [--cuts N] [--corruptions N] LOG...
 *
 * runs over other logs: every place to cut, or N of them (3000) where there are more,
 * and N random changes (1000) of each form.
 */
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "source/darshan/test/log_maker.h"

#include <sys/resource.h>

#define LOG_BYTES_MAX ((size_t)64 << 20)
#define GROWTH_KIB_MAX ((long)512 << 10) /* of the process, sanitizer and all */

/* Repeatable, and the same everywhere. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

struct reading {
    struct darshan_totals *totals;
    uint64_t records;
};

static int on_record(void *arg, const struct darshan_record *r)
{
    struct reading *reading = arg;
    reading->records++;
    if (reading->totals)
        assert_int_equal(darshan_totals_add(reading->totals, r), 0);
    return 0;
}

static int on_segments(void *arg, enum darshan_direction direction,
                       const struct darshan_segment *segments, size_t count)
{
    (void)arg;
    (void)direction;
    (void)segments;
    (void)count;
    return 0;
}

/* Read all there is; how many records that was.  The bytes are copied to a place of
 * exactly their size, so that a sanitizer sees each step outside. */
static uint64_t read_all(const char *data, size_t size)
{
    AUTO_FREE char *copy = malloc(size + 1);
    AUTO(darshan_log_close) struct darshan_log *log = NULL;
    const struct darshan_opts opts = { .names_bytes_max = 32 << 20,
                                       .record_bytes_max = 8 << 20,
                                       .region_bytes_max = 128 << 20 };
    struct reading reading = { 0 };
    const struct darshan_visitor visitor = { on_record, on_segments, &reading };
    assert_non_null(copy);
    memcpy(copy, data, size);
    if (darshan_log_open_memory(copy, size, &opts, &log, NULL) < 0)
        return 0;
    for (unsigned i = 0; i < darshan_log_header(log)->slot_count; i++) {
        AUTO(darshan_totals_free) struct darshan_totals *totals = NULL;
        const struct darshan_module *module =
            darshan_module(darshan_log_header(log)->slots[i].id);
        struct darshan_summary summary;
        if (darshan_totals_fit(module))
            assert_int_equal(darshan_totals_new(module, 0, &totals), 0);
        reading.totals = totals;
        assert_int_equal(darshan_log_read(log, i, &visitor), 0);
        if (totals)
            darshan_totals_summary(totals, &summary);
    }
    return reading.records;
}

/* What the arguments say, of each form of a log. */
static uint64_t cuts_wanted = 3000;
static uint64_t corruptions_wanted = 1000;

static void cut_everywhere(const struct strbuf *data, uint64_t whole)
{
    size_t step = data->size / cuts_wanted + 1;
    for (size_t size = 0; size < data->size; size += step) {
        uint64_t records = read_all(strbuf_text(data), size);
        if (records > whole)
            fail_msg("cut to %zu bytes it has more records: %llu", size,
                     (unsigned long long)records);
    }
}

/* One to eight bytes, bits or whole words changed. */
static void corrupt(char *data, size_t size, uint64_t *seed)
{
    static const uint64_t words[] = { 0,
                                      1,
                                      UINT64_MAX,
                                      INT64_MAX,
                                      UINT64_C(1) << 32,
                                      UINT64_C(1) << 63,
                                      0x7ff8000000000000 };
    for (uint64_t n = next_random(seed) % 8 + 1; n > 0; n--) {
        size_t at = next_random(seed) % size;
        switch (next_random(seed) % 4) {
        case 0:
            data[at] = (char)next_random(seed);
            break;
        case 1:
            data[at] = (char)(data[at] ^ (1 << next_random(seed) % 8));
            break;
        case 2:
            data[next_random(seed) % (size < 1400 ? size : 1400)] =
                (char)next_random(seed); /* the header more often than it is large */
            break;
        default:
            if (at + 8 <= size)
                memcpy(data + at, &words[next_random(seed) % COUNT_OF(words)], 8);
            break;
        }
    }
}

static void corrupt_often(const struct strbuf *data, uint64_t times, uint64_t seed)
{
    AUTO_FREE char *copy = malloc(data->size + 1);
    assert_non_null(copy);
    for (uint64_t i = 0; i < times; i++) {
        memcpy(copy, strbuf_text(data), data->size);
        corrupt(copy, data->size, &seed);
        (void)read_all(copy, data->size);
    }
}

static void append_region(const struct darshan_input *in,
                          const struct darshan_header *header,
                          struct darshan_region region, struct strbuf *out)
{
    AUTO(darshan_stream_free) struct darshan_stream *s = NULL;
    if (region.size == 0)
        return;
    assert_int_equal(
        darshan_stream_new(in, header->compression, region, LOG_BYTES_MAX, &s), 0);
    (void)darshan_stream_append(s, out, LOG_BYTES_MAX);
}

/* The same log without compression. */
static void unpack(const struct strbuf *data, struct strbuf *out)
{
    const struct darshan_input in = { .fd = -1,
                                      .data = (const uint8_t *)data->data,
                                      .size = data->size };
    struct darshan_header header;
    assert_int_equal(darshan_header_read(&in, &header, NULL), 0);
    AUTO(log_maker_done)
    struct log_maker m = { .number = header.number,
                           .is_big = header.is_big,
                           .compression = DARSHAN_PLAIN };
    append_region(&in, &header, header.job, &m.job);
    append_region(&in, &header, header.names, &m.names);
    for (unsigned i = 0; i < header.slot_count; i++) {
        m.versions[i] = header.slots[i].version;
        append_region(&in, &header, header.slots[i].region, &m.slots[i]);
    }
    log_make(&m, out);
}

static void damage(const struct strbuf *data, uint64_t corruptions)
{
    AUTO(strbuf_done) struct strbuf plain = STRBUF_INIT;
    struct rusage before, after;
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    uint64_t whole = read_all(strbuf_text(data), data->size);
    unpack(data, &plain);
    assert_true(read_all(strbuf_text(&plain), plain.size) == whole);
    cut_everywhere(data, whole);
    cut_everywhere(&plain, whole);
    corrupt_often(data, corruptions, 0x9e3779b97f4a7c15);
    corrupt_often(&plain, corruptions, 0xbf58476d1ce4e5b9);
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    if (after.ru_maxrss - before.ru_maxrss > GROWTH_KIB_MAX)
        fail_msg("memory grew by %ld KiB", after.ru_maxrss - before.ru_maxrss);
}

/* Something of every module, in numbers that mean nothing. */
static void fill(struct log_maker *m)
{
    static const struct {
        enum darshan_module_id id;
        uint32_t version;
        size_t size;
    } parts[] = {
        { DARSHAN_POSIX, 4, 2 * 704 }, { DARSHAN_MPIIO, 3, 560 },
        { DARSHAN_H5F, 2, 56 },        { DARSHAN_PNETCDF_FILE, 3, 152 },
        { DARSHAN_BGQ, 1, 120 },       { DARSHAN_STDIO, 1, 240 },
        { DARSHAN_MDHIM, 1, 100 },
    };
    uint64_t seed = 88172645463325252;
    log_job(m, "lib_ver = 3\n", "exe -a -b\next4\t/\nlustre\t/scratch\n");
    for (uint64_t id = 0; id < 5; id++)
        log_name(m, id, "/scratch/of/some/file");
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        unsigned slot = log_slot(m, parts[i].id);
        m->versions[slot] = parts[i].version;
        for (size_t k = 0; k < parts[i].size / 8; k++)
            log_u64(m, &m->slots[slot], next_random(&seed) % 7);
    }
    static const uint64_t lustre[] = { 1, 0, 9, 9, 9, 1 << 20, 2, 3, 4 };
    static const uint64_t heat[] = { 1, 2, 3, 2, 0, 0, 1, 2, 3, 4 };
    static const uint64_t dxt[] = { 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0,
                                    1, 1, 1, 2, 3, 4, 5, 6, 7, 8 };
    m->versions[log_slot(m, DARSHAN_LUSTRE)] = 1;
    m->versions[log_slot(m, DARSHAN_HEATMAP)] = 1;
    m->versions[log_slot(m, DARSHAN_DXT_POSIX)] = 1;
    for (size_t i = 0; i < COUNT_OF(lustre); i++)
        log_u64(m, &m->slots[log_slot(m, DARSHAN_LUSTRE)], lustre[i]);
    for (size_t i = 0; i < COUNT_OF(heat); i++)
        log_u64(m, &m->slots[log_slot(m, DARSHAN_HEATMAP)], heat[i]);
    for (size_t i = 0; i < COUNT_OF(dxt); i++)
        log_u64(m, &m->slots[log_slot(m, DARSHAN_DXT_POSIX)], dxt[i]);
}

static void damaged_logs_are_read_as_far_as_they_go(void **state)
{
    (void)state;
    static const unsigned numbers[] = { 300, 321, 341 };
    for (unsigned i = 0; i < 3; i++) {
        AUTO(log_maker_done)
        struct log_maker m = {
            .number = numbers[i],
            .is_big = i == 1,
            .compression = i == 2 ? DARSHAN_BZIP2 : DARSHAN_ZLIB,
            .members = i + 1,
        };
        AUTO(strbuf_done) struct strbuf data = STRBUF_INIT;
        fill(&m);
        log_make(&m, &data);
        assert_int_equal(read_all(data.data, data.size), 2 + 1 + 1 + 1 + 1 + 1 + 3);
        damage(&data, 150);
    }
}

/* One of the arguments: the test is called by its name. */
static void damage_file(void **state)
{
    AUTO(strbuf_done) struct strbuf data = STRBUF_INIT;
    struct err err = { 0 };
    if (file_read(*state, LOG_BYTES_MAX, &data, &err) < 0)
        fail_msg("%s", err.text);
    damage(&data, corruptions_wanted);
}

static int run_files(int count, char **paths)
{
    struct CMUnitTest *tests = calloc((size_t)count, sizeof *tests);
    if (!tests)
        return EXIT_FAILURE;
    for (int i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){ .name = paths[i],
                                        .test_func = damage_file,
                                        .initial_state = paths[i] };
    int failed = _cmocka_run_group_tests("damage", tests, (size_t)count, NULL, NULL);
    free(tests);
    return failed;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_logs_are_read_as_far_as_they_go),
    };
    int first = 1;
    while (first + 1 < argc && argv[first][0] == '-') {
        bool is_cuts = strcmp(argv[first], "--cuts") == 0;
        uint64_t *wanted = is_cuts ? &cuts_wanted : &corruptions_wanted;
        if (!is_cuts && strcmp(argv[first], "--corruptions") != 0)
            return EXIT_USAGE;
        if (number_parse_u64(span_of(argv[first + 1]), wanted) < 0 || cuts_wanted == 0)
            return EXIT_USAGE;
        first += 2;
    }
    if (first < argc)
        return run_files(argc - first, argv + first);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
