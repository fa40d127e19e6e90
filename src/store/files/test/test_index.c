/* SPDX-License-Identifier: Apache-2.0 */
/* test_index - what a checkpoint says of a shard, as records and back; records in
 * another order, cut or hostile. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "store/files/index.h"

#include <errno.h>

#define STEP INT64_C(10000000000)
#define BEGIN INT64_C(1700000000000000000)

struct seen {
    unsigned metrics, files, series;
    int rc; /* what series() returns */
};

static int check_metric(void *arg, uint32_t id, const struct metric *metric)
{
    struct seen *seen = arg;
    assert_int_equal(id, seen->metrics++);
    assert_true(span_is(metric->name, id ? "flow" : "load"));
    assert_true(span_is(metric->unit, id ? "B/s" : ""));
    assert_true(metric->step_ns == (id ? 0 : STEP));
    assert_int_equal(metric->kind, id ? METRIC_COUNTER : METRIC_GAUGE);
    assert_int_equal(metric->aggregation, id ? AGGREGATE_SUM : AGGREGATE_NONE);
    return 0;
}

static int check_file(void *arg, uint32_t id, const struct index_file *file)
{
    struct seen *seen = arg;
    assert_int_equal(id, seen->files++);
    assert_true(file->checkpoint == 17 + id && file->shard == 3);
    return 0;
}

static const char *const paths[] = { "c/h1", "c/h10", "c/h2/cpu:0", "d" };

/* Series i has i blocks, i late samples and 3 * i in its head. */
static void fill_series(struct index_series *s, struct block_location locations[4],
                        size_t i)
{
    *s = (struct index_series){
        .number = (uint32_t)(100 - i),
        .path = span_of(paths[i]),
        .metric = i % 2,
        .step_ns = i % 2 ? 0 : STEP,
        .location_count = i,
        .locations = locations,
        .state = { .floor_s = (uint32_t)i * 1000,
                   .near_border = (uint8_t)i,
                   .contention = (uint8_t)(i * 80),
                   .start_ns = BEGIN,
                   .last_ns = BEGIN + (int64_t)i * STEP,
                   .late_count = i,
                   .head = { .count = 3 * i } },
    };
    for (size_t n = 0; n < i; n++) {
        locations[n] = (struct block_location){ n % 2, (uint32_t)(n * 1000 + i) };
        s->state.late_times[n] = BEGIN - (int64_t)n * STEP;
        s->state.late_bits[n] = UINT64_MAX - n;
    }
    for (size_t n = 0; n < 3 * i; n++) {
        s->state.head.times[n] = BEGIN + (int64_t)(n * n);
        s->state.head.values[n] = (double)n / 3;
    }
}

static int check_series(void *arg, uint64_t applied, const struct index_series *s)
{
    struct seen *seen = arg;
    static struct index_series want;
    struct block_location locations[4];
    size_t i = seen->series++;
    fill_series(&want, locations, i);
    assert_true(applied == 4711);
    assert_int_equal(s->number, want.number);
    assert_true(span_eq(s->path, want.path));
    assert_int_equal(s->metric, want.metric);
    assert_true(s->step_ns == want.step_ns);
    assert_int_equal(s->location_count, i);
    assert_int_equal(s->state.floor_s, want.state.floor_s);
    assert_int_equal(s->state.near_border, want.state.near_border);
    assert_int_equal(s->state.contention, want.state.contention);
    assert_true(s->state.start_ns == BEGIN && s->state.last_ns == want.state.last_ns);
    assert_int_equal(s->state.late_count, i);
    assert_int_equal(s->state.head.count, 3 * i);
    if (i == 0)
        return seen->rc;
    assert_memory_equal(s->locations, locations, i * sizeof locations[0]);
    assert_memory_equal(s->state.late_times, want.state.late_times,
                        i * sizeof(int64_t));
    assert_memory_equal(s->state.late_bits, want.state.late_bits, i * sizeof(uint64_t));
    assert_memory_equal(s->state.head.values, want.state.head.values,
                        3 * i * sizeof(double));
    if (want.step_ns == 0)
        assert_memory_equal(s->state.head.times, want.state.head.times,
                            3 * i * sizeof(int64_t));
    return seen->rc;
}

static void put_head(struct strbuf *out)
{
    struct metric_table *table = NULL;
    const struct metric *declared;
    const struct metric metrics[] = {
        { .name = SPAN("load"), .step_ns = STEP, .aggregation = AGGREGATE_NONE },
        { .name = SPAN("flow"), .unit = SPAN("B/s"), .kind = METRIC_COUNTER },
    };
    const struct index_file files[] = { { 17, 3 }, { 18, 3 } };
    assert_int_equal(metric_table_new(&table), 0);
    for (size_t i = 0; i < COUNT_OF(metrics); i++)
        assert_int_equal(metric_declare(table, &metrics[i], &declared), 0);
    strbuf_clear(out);
    index_put_head(out, table, files, COUNT_OF(files));
    metric_table_free(table);
}

static void put_group(struct strbuf *out)
{
    static struct index_series series;
    struct block_location locations[4];
    struct span last_path = { 0 };
    strbuf_clear(out);
    index_put_group(out, 4711);
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        fill_series(&series, locations, i);
        index_put_series(out, &series, last_path);
        last_path = series.path;
    }
}

static struct index_reader reader_of(struct seen *seen)
{
    return (struct index_reader){
        .arg = seen, .metric = check_metric, .file = check_file, .series = check_series
    };
}

static void what_was_put_is_read(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct seen seen = { 0 };
    struct index_reader reader = reader_of(&seen);
    put_head(&out);
    assert_int_equal(index_read_record(&reader, strbuf_span(&out)), 0);
    put_group(&out);
    assert_int_equal(index_read_record(&reader, strbuf_span(&out)), 0);
    assert_false(reader.is_over);
    strbuf_clear(&out);
    index_put_end(&out, COUNT_OF(paths));
    assert_int_equal(index_read_record(&reader, strbuf_span(&out)), 0);
    assert_true(reader.is_over);
    assert_true(seen.metrics == 2 && seen.files == 2 && seen.series == COUNT_OF(paths));
    /* Nothing may follow. */
    assert_int_equal(index_read_record(&reader, strbuf_span(&out)), -EBADMSG);
}

static void records_in_another_order_are_refused(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct seen seen = { 0 };
    struct index_reader reader = reader_of(&seen);
    put_group(&out);
    assert_int_equal(index_read_record(&reader, strbuf_span(&out)), -EBADMSG);
    put_head(&out);
    assert_int_equal(index_read_record(&reader, strbuf_span(&out)), 0);
    assert_int_equal(index_read_record(&reader, strbuf_span(&out)), -EBADMSG);
    assert_int_equal(index_read_record(&reader, SPAN("X")), -EBADMSG);
    assert_int_equal(index_read_record(&reader, SPAN("")), -EBADMSG);
}

static void an_end_that_counts_otherwise_is_refused(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct seen seen = { 0 };
    struct index_reader reader = reader_of(&seen);
    put_head(&out);
    assert_int_equal(index_read_record(&reader, strbuf_span(&out)), 0);
    strbuf_clear(&out);
    index_put_end(&out, 1);
    assert_int_equal(index_read_record(&reader, strbuf_span(&out)), -EBADMSG);
}

static void what_a_function_returns_ends_the_reading(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct seen seen = { .rc = -EINTR };
    struct index_reader reader = reader_of(&seen);
    put_head(&out);
    assert_int_equal(index_read_record(&reader, strbuf_span(&out)), 0);
    put_group(&out);
    assert_int_equal(index_read_record(&reader, strbuf_span(&out)), -EINTR);
    assert_int_equal(seen.series, 1);
}

static int take_metric(void *arg, uint32_t id, const struct metric *metric)
{
    (void)arg;
    (void)id;
    (void)metric;
    return 0;
}

static int take_file(void *arg, uint32_t id, const struct index_file *file)
{
    (void)arg;
    (void)id;
    (void)file;
    return 0;
}

static int take_series(void *arg, uint64_t applied, const struct index_series *s)
{
    (void)arg;
    (void)applied;
    assert_true(s->metric < 2 && s->state.head.count <= CODEC_VALUES_MAX);
    for (size_t i = 0; i < s->location_count; i++)
        assert_true(s->locations[i].file < 2);
    return 0;
}

/* Cut at every byte, and with every bit of every byte changed: refused, or within the
 * bounds that readers rely on. */
static void damaged_records_stay_within_bounds(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf head = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf group = STRBUF_INIT;
    size_t refused = 0;
    put_head(&head);
    put_group(&group);
    for (size_t at = 0; at < 9 * group.size; at++) {
        struct index_reader reader = { .metric = take_metric,
                                       .file = take_file,
                                       .series = take_series };
        struct span bytes = strbuf_span(&group);
        size_t byte = at / 9;
        assert_int_equal(index_read_record(&reader, strbuf_span(&head)), 0);
        if (at % 9 == 8)
            bytes.size = byte;
        else
            group.data[byte] = (char)(group.data[byte] ^ (1 << at % 9));
        refused += index_read_record(&reader, bytes) < 0;
        if (at % 9 != 8)
            group.data[byte] = (char)(group.data[byte] ^ (1 << at % 9));
    }
    assert_true(refused > group.size);
    for (size_t size = 0; size < head.size; size++) {
        struct index_reader reader = { .metric = take_metric,
                                       .file = take_file,
                                       .series = take_series };
        const struct span cut = { head.data, size };
        assert_int_equal(index_read_record(&reader, cut), -EBADMSG);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_read),
        cmocka_unit_test(records_in_another_order_are_refused),
        cmocka_unit_test(an_end_that_counts_otherwise_is_refused),
        cmocka_unit_test(what_a_function_returns_ends_the_reading),
        cmocka_unit_test(damaged_records_stay_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
