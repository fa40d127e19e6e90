/* SPDX-License-Identifier: Apache-2.0 */
/* test_log_heat - the bytes of a log over time: where and when they were moved, and no
 * more of them than there are.
 */
#include "analysis/log/log_heat.h"

#include "base/test/testing.h"
#include "source/darshan/test/log_maker.h"

#include <math.h>

#define MIB (UINT64_C(1) << 20)
#define COLUMN_S (61.0 / LOG_HEAT_COLUMNS) /* the job of log_job() has 61 s */

/* In a file of rank, on host: one write. */
static void trace_put(struct log_maker *m, uint64_t file, uint64_t rank,
                      const char *host, uint64_t offset, uint64_t length,
                      const double *times)
{
    struct strbuf *to = &m->slots[log_slot(m, DARSHAN_DXT_POSIX)];
    m->versions[log_slot(m, DARSHAN_DXT_POSIX)] = 1;
    log_u64(m, to, file);
    log_u64(m, to, rank);
    log_u64(m, to, 0);
    log_text(to, host, 64);
    log_u64(m, to, 1);
    log_u64(m, to, 0);
    log_u64(m, to, offset);
    log_u64(m, to, length);
    log_double(m, to, times[0]);
    log_double(m, to, times[1]);
}

/* Stripes of 1 MiB over the targets 3 and 7. */
static void layout_put(struct log_maker *m, uint64_t file)
{
    const uint64_t words[] = { file, 0, 4, 1, 0, MIB, 2, 3, 7 };
    unsigned slot = log_slot(m, DARSHAN_LUSTRE);
    m->versions[slot] = 1;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        log_u64(m, &m->slots[slot], words[i]);
}

static void heat_of(const struct log_maker *m, struct log_heat *ret)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(darshan_log_close) struct darshan_log *log = NULL;
    log_make(m, &bytes);
    assert_int_equal(darshan_log_open_memory(bytes.data, bytes.size, NULL, &log, NULL),
                     0);
    assert_int_equal(log_heat_read(log, ret), 0);
}

static double row_bytes(const struct log_heat_row *row)
{
    double sum = 0;
    for (size_t i = 0; i < LOG_HEAT_COLUMNS; i++)
        sum += row->values[i] * COLUMN_S;
    return sum;
}

static void is_row(const struct log_heat_map *map, size_t index, const char *name,
                   double bytes)
{
    assert_true(index < map->count);
    assert_string_equal(map->rows[index].name, name);
    assert_true(fabs(row_bytes(&map->rows[index]) - bytes) < 1e-3 * bytes + 1e-6);
}

static void traces_are_of_processes_nodes_and_targets(void **state)
{
    (void)state;
    static const double whole[] = { 0, 61 }, late[] = { 60, 61 };
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(log_heat_done) struct log_heat heat = { 0 };
    log_job(&m, "", "./app\nlustre\t/scratch\n");
    layout_put(&m, 5);
    /* From the middle of the first stripe to that of the fourth: half on each. */
    trace_put(&m, 5, 10, "c02", MIB / 2, 3 * MIB, whole);
    trace_put(&m, 5, 2, "c01", 7 * MIB, 1, late);
    trace_put(&m, 6, 2, "c01", 0, 100, late); /* its layout is not known */
    heat_of(&m, &heat);
    const struct log_heat_map *processes = &heat.maps[LOG_HEAT_PROCESSES];
    assert_string_equal(processes->source, "DXT_POSIX");
    assert_int_equal(processes->count, 2);
    is_row(processes, 0, "2", 101);
    is_row(processes, 1, "10", 3 * MIB);
    is_row(&heat.maps[LOG_HEAT_NODES], 0, "c01", 101);
    is_row(&heat.maps[LOG_HEAT_NODES], 1, "c02", 3 * MIB);
    assert_int_equal(heat.maps[LOG_HEAT_TARGETS].count, 2);
    is_row(&heat.maps[LOG_HEAT_TARGETS], 0, "OST0003", 1.5 * MIB);
    is_row(&heat.maps[LOG_HEAT_TARGETS], 1, "OST0007", 1.5 * MIB + 1);
    assert_true(processes->rows[0].values[0] == 0);
    assert_true(processes->rows[0].values[LOG_HEAT_COLUMNS - 1] > 0);
    assert_true(fabs(processes->rows[1].values[60] - 3 * MIB / 61.0) < 1);
}

static void what_cannot_be_is_left_out_or_at_an_end(void **state)
{
    (void)state;
    static const double odd[][2] = {
        { NAN, 1 }, { -5, -1 }, { 1e300, 2e300 }, { 5, 1 }, { -INFINITY, INFINITY }
    };
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(log_heat_done) struct log_heat heat = { 0 };
    log_job(&m, "", "./app\nlustre\t/scratch\n");
    layout_put(&m, 5);
    for (size_t i = 0; i < COUNT_OF(odd); i++)
        trace_put(&m, 5, 0, "", INT64_MAX - 5, 1000, odd[i]);
    trace_put(&m, 5, 0, "", 0, UINT64_MAX, odd[0]); /* a length of -1 */
    heat_of(&m, &heat);
    is_row(&heat.maps[LOG_HEAT_PROCESSES], 0, "0", 5000);
    assert_int_equal(heat.maps[LOG_HEAT_NODES].count, 0);
    assert_int_equal(heat.maps[LOG_HEAT_TARGETS].count, 0);
}

static void a_log_without_times_has_no_maps(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(log_heat_done) struct log_heat heat = { 0 };
    log_job(&m, "", "./app\n");
    heat_of(&m, &heat);
    for (int kind = 0; kind < LOG_HEAT_KINDS; kind++) {
        assert_int_equal(heat.maps[kind].count, 0);
        assert_null(heat.maps[kind].source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_are_of_processes_nodes_and_targets),
        cmocka_unit_test(what_cannot_be_is_left_out_or_at_an_end),
        cmocka_unit_test(a_log_without_times_has_no_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
