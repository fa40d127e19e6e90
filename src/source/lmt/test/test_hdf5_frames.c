/* SPDX-License-Identifier: Apache-2.0 */
/* test_hdf5_frames - a grid there and back, and what a hostile child may send. */
#include "source/lmt/hdf5_frames.h"

#include "base/strbuf.h"
#include "base/test/testing.h"

#include <errno.h>
#include <math.h>

/* A pipe that is memory: written at its end, read from its beginning. */
struct memory_pipe {
    struct strbuf bytes;
    size_t at;
    struct hdf5_pipe pipe;
};

static int memory_read(void *arg, void *data, size_t size)
{
    struct memory_pipe *m = arg;
    if (size > m->bytes.size - m->at)
        return -EPIPE;
    memcpy(data, m->bytes.data + m->at, size);
    m->at += size;
    return 0;
}

static int memory_write(void *arg, const void *data, size_t size)
{
    struct memory_pipe *m = arg;
    strbuf_add(&m->bytes, data, size);
    return strbuf_error(&m->bytes);
}

static void memory_start(struct memory_pipe *m)
{
    *m = (struct memory_pipe){ .bytes = STRBUF_INIT };
    m->pipe = (struct hdf5_pipe){ .read = memory_read,
                                  .write = memory_write,
                                  .arg = m,
                                  .buffer = malloc(HDF5_FRAME_BYTES_MAX) };
    assert_non_null(m->pipe.buffer);
}

static void memory_done(struct memory_pipe *m)
{
    strbuf_done(&m->bytes);
    free(m->pipe.buffer);
}
DEFINE_AUTO_DONE(struct memory_pipe, memory_done);

static void put_u32(struct memory_pipe *m, uint32_t value)
{
    strbuf_add(&m->bytes, &value, sizeof value);
}

static void put_u64(struct memory_pipe *m, uint64_t value)
{
    strbuf_add(&m->bytes, &value, sizeof value);
}

#define FROM 1000
#define STEP 10

/* So many columns and rows; every third row is missing as a whole. */
static void grid_make(struct lmt_grid *grid, size_t rows, size_t columns)
{
    char(*texts)[704] = calloc(columns, sizeof *texts);
    struct span *names = calloc(columns, sizeof *names);
    size_t *map = calloc(columns, sizeof *map);
    for (size_t i = 0; i < columns; i++)
        names[i] = (struct span){ texts[i], (size_t)snprintf(texts[i], sizeof texts[i],
                                                             "OST%0700zu", i) };
    lmt_grid_init(grid, FROM, FROM + (int64_t)rows * STEP);
    assert_int_equal(lmt_grid_shape(grid, STEP, FROM, NULL), 0);
    assert_int_equal(lmt_grid_columns(grid, names, columns, map, NULL), 0);
    for (size_t i = 0; i < rows * columns; i++)
        grid->values[i] = i / columns % 3 ? (double)i / 7 : NAN;
    free(texts);
    free(names);
    free(map);
}

static void grids_come_back_as_they_were(void **state)
{
    (void)state;
    static const struct {
        size_t rows, columns;
    } cases[] = {
        { 1, 1 },
        { 300, 2000 }, /* names and rows in several frames */
        { 100000, 3 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(memory_done) struct memory_pipe m;
        AUTO(lmt_grid_done) struct lmt_grid want = { 0 };
        AUTO(lmt_grid_done) struct lmt_grid got = { 0 };
        struct err err = { 0 };
        memory_start(&m);
        grid_make(&want, cases[i].rows, cases[i].columns);
        lmt_grid_init(&got, want.from_s, want.to_s);
        assert_int_equal(hdf5_frames_write_grid(&m.pipe, &want), 0);
        if (hdf5_frames_read_grid(&m.pipe, &got, &err) < 0)
            fail_msg("%zu x %zu: %s", cases[i].rows, cases[i].columns, err.text);
        assert_int_equal(m.at, m.bytes.size);
        assert_int_equal(got.row_count, want.row_count);
        assert_int_equal(got.column_count, want.column_count);
        assert_true(got.start_s == want.start_s && got.step_s == want.step_s);
        for (size_t k = 0; k < want.column_count; k++)
            assert_string_equal(got.columns[k], want.columns[k]);
        for (size_t k = 0; k < want.row_count * want.column_count; k++)
            if (got.values[k] != want.values[k] &&
                !(isnan(got.values[k]) && isnan(want.values[k])))
                fail_msg("%zu x %zu, cell %zu", cases[i].rows, cases[i].columns, k);
    }
}

static void a_grid_joins_what_other_files_gave(void **state)
{
    (void)state;
    AUTO(memory_done) struct memory_pipe m;
    AUTO(lmt_grid_done) struct lmt_grid one = { 0 };
    AUTO(lmt_grid_done) struct lmt_grid both = { 0 };
    static const struct span other[] = { { "MDT0", 4 } };
    size_t map[1];
    memory_start(&m);
    grid_make(&one, 3, 2);
    lmt_grid_init(&both, one.from_s, one.to_s);
    assert_int_equal(lmt_grid_shape(&both, STEP, FROM, NULL), 0);
    assert_int_equal(lmt_grid_columns(&both, other, 1, map, NULL), 0);
    *lmt_grid_at(&both, 2, 0) = 5;
    assert_int_equal(hdf5_frames_write_grid(&m.pipe, &one), 0);
    assert_int_equal(hdf5_frames_read_grid(&m.pipe, &both, NULL), 0);
    assert_int_equal(both.column_count, 3);
    assert_true(*lmt_grid_at(&both, 2, 0) == 5);
    assert_true(*lmt_grid_at(&both, 2, 1) == *lmt_grid_at(&one, 2, 0));
    assert_true(isnan(*lmt_grid_at(&both, 0, 1)));
}

static void errors_of_the_child_keep_their_words(void **state)
{
    (void)state;
    static const struct {
        int rc;
        const char *text;
        int want;
        const char *want_text;
    } cases[] = {
        { -ENOENT, "", -ENOENT, "" },
        { -EBADMSG, "day.hdf5: not a table", -EBADMSG, "day.hdf5: not a table" },
        { -ENOMEM, "out of memory", -ENOMEM, "out of memory" },
        { -EPERM, "x", -EPROTO, "the process that reads it reported" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(memory_done) struct memory_pipe m;
        struct err sent = { 0 }, err = { 0 };
        int64_t step_s = 7;
        memory_start(&m);
        (void)snprintf(sent.text, sizeof sent.text, "%s", cases[i].text);
        assert_int_equal(hdf5_frames_write_error(&m.pipe, cases[i].rc, &sent), 0);
        int rc = hdf5_frames_read_step(&m.pipe, &step_s, &err);
        if (rc != cases[i].want || step_s != 7 ||
            m.pipe.is_in_order != (rc != -EPROTO) ||
            strncmp(err.text, cases[i].want_text, strlen(cases[i].want_text)) != 0)
            fail_msg("%d '%s': %d '%s'", cases[i].rc, cases[i].text, rc, err.text);
    }
}

enum { ERROR, OPENED, TIMES, STEP_FRAME, SHAPE, NAMES, ROWS, END };

static void put_shape(struct memory_pipe *m, int64_t start, int64_t step, uint64_t rows,
                      uint64_t columns)
{
    put_u32(m, SHAPE);
    put_u32(m, 32);
    put_u64(m, (uint64_t)start);
    put_u64(m, (uint64_t)step);
    put_u64(m, rows);
    put_u64(m, columns);
}

static void put_names(struct memory_pipe *m, const char *bytes, uint32_t size)
{
    put_u32(m, NAMES);
    put_u32(m, size);
    strbuf_add(&m->bytes, bytes, size);
}

static void put_rows(struct memory_pipe *m, uint64_t first, uint64_t count,
                     uint32_t values, uint64_t bits)
{
    put_u32(m, ROWS);
    put_u32(m, 16 + values * 8);
    put_u64(m, first);
    put_u64(m, count);
    for (uint32_t i = 0; i < values; i++)
        put_u64(m, bits);
}

/* Of a grid of 3 rows from 1000 on with two columns, up to a fault. */
static void hostile(struct memory_pipe *m, int which)
{
    static const uint64_t one = UINT64_C(0x3ff0000000000000);
    switch (which) {
    case 0:
        put_u32(m, SHAPE);
        put_u32(m, UINT32_MAX);
        return;
    case 1:
        put_u32(m, 77);
        put_u32(m, 0);
        return;
    case 2:
        put_shape(m, FROM, STEP, 4, 2);
        return;
    case 3:
        put_shape(m, FROM + 1, STEP, 3, 2);
        return;
    case 4:
        put_shape(m, FROM, STEP, 3, UINT64_MAX);
        return;
    case 5:
        put_shape(m, FROM, STEP, 3, 0);
        return;
    default:
        put_shape(m, FROM, STEP, 3, 2);
    }
    switch (which) {
    case 6:
        put_names(m, "a\0b", 3);
        return;
    case 7:
        put_names(m, "a\0b\0c", 6);
        return;
    case 8:
        put_names(m, "", 0);
        return;
    case 9:
        put_rows(m, 0, 1, 2, one);
        return;
    default:
        put_names(m, "a\0b", 4);
    }
    static const struct {
        uint64_t first, count;
        uint32_t values;
        uint64_t bits;
    } rows[] = {
        { 3, 1, 2, 0 },
        { 0, 4, 8, 0 },
        { 1, UINT64_MAX, 2, 0 },
        { 0, 1, 1, 0 },
        { 0, 0, 0, 0 },
        { UINT64_MAX, 2, 4, 0 },
        { 0, 1, 2, UINT64_C(0x7ff0000000000000) }, /* infinite */
    };
    if (which - 10 < (int)COUNT_OF(rows)) {
        put_rows(m, rows[which - 10].first, rows[which - 10].count,
                 rows[which - 10].values, rows[which - 10].bits);
        return;
    }
    put_rows(m, 1, 2, 4, one);
    put_rows(m, 0, 1, 2, one); /* not ascending */
}

static void what_cannot_be_is_an_error(void **state)
{
    (void)state;
    for (int which = 0; which < 18; which++) {
        AUTO(memory_done) struct memory_pipe m;
        AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
        struct err err = { 0 };
        memory_start(&m);
        lmt_grid_init(&grid, FROM, FROM + 3 * STEP);
        hostile(&m, which);
        put_u32(&m, END);
        put_u32(&m, 0);
        int rc = hdf5_frames_read_grid(&m.pipe, &grid, &err);
        if (rc != -EPROTO || !err.text[0] || m.pipe.is_in_order)
            fail_msg("case %d: %d '%s'", which, rc, err.text);
    }
}

static void a_stream_that_ends_anywhere_is_an_error(void **state)
{
    (void)state;
    AUTO(memory_done) struct memory_pipe m;
    AUTO(lmt_grid_done) struct lmt_grid want = { 0 };
    memory_start(&m);
    grid_make(&want, 3, 2);
    assert_int_equal(hdf5_frames_write_grid(&m.pipe, &want), 0);
    size_t whole = m.bytes.size;
    for (size_t cut = 0; cut < whole; cut++) {
        AUTO(lmt_grid_done) struct lmt_grid got = { 0 };
        lmt_grid_init(&got, want.from_s, want.to_s);
        m.at = 0;
        m.bytes.size = cut;
        assert_int_equal(hdf5_frames_read_grid(&m.pipe, &got, NULL), -EPIPE);
    }
}

static void a_child_that_is_not_confined_says_so_in_place_of_opened(void **state)
{
    (void)state;
    AUTO(memory_done) struct memory_pipe m;
    const struct err said = { "a filter of system calls: refused" };
    struct err err = { 0 };
    enum hdf5_layout layout;
    int64_t step_s;
    memory_start(&m);
    assert_int_equal(hdf5_frames_write_unconfined(&m.pipe, &said), 0);
    assert_int_equal(hdf5_frames_write_unconfined(&m.pipe, &said), 0);
    assert_int_equal(hdf5_frames_read_opened(&m.pipe, &layout, &err), -EPERM);
    assert_string_equal(err.text, said.text);
    assert_true(m.pipe.is_in_order);
    m.pipe.is_in_order = false; /* later it cannot be */
    assert_int_equal(hdf5_frames_read_step(&m.pipe, &step_s, &err), -EPROTO);
    assert_false(m.pipe.is_in_order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_come_back_as_they_were),
        cmocka_unit_test(a_grid_joins_what_other_files_gave),
        cmocka_unit_test(errors_of_the_child_keep_their_words),
        cmocka_unit_test(a_child_that_is_not_confined_says_so_in_place_of_opened),
        cmocka_unit_test(what_cannot_be_is_an_error),
        cmocka_unit_test(a_stream_that_ends_anywhere_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
