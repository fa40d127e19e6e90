/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_servers - which target is contended, and by whom. */
#include "analysis/job/job.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>

struct row {
    const char *key, *user;
    uint64_t written, read, requests, metadata;
};

/* A table of totals as query makes it. */
static void fill(struct table *t, const char *key, const struct row *rows)
{
    table_init(t);
    table_add_column(t, key, TABLE_TEXT, "");
    table_add_column(t, "user", TABLE_TEXT, "");
    for (size_t i = 0; i < job_servers_op_count; i++)
        table_add_column(t, job_servers_ops[i], TABLE_U64, "");
    for (const struct row *r = rows; r->key; r++) {
        const uint64_t values[] = { r->written, r->read, r->requests, r->metadata };
        table_add_row(t);
        if (*r->key)
            table_set_text(t, 0, span_of(r->key));
        if (r->user)
            table_set_text(t, 1, span_of(r->user));
        for (size_t i = 0; i < COUNT_OF(values); i++)
            table_set_u64(t, 2 + i, values[i]);
    }
}

static void make_of(const struct profile *run, const struct row *own,
                    const struct row *all, struct job_servers *ret)
{
    AUTO(table_done) struct table own_table;
    AUTO(table_done) struct table all_table;
    struct err err = { 0 };
    fill(&own_table, "target", own);
    fill(&all_table, "target", all);
    if (job_servers_make(run, &own_table, &all_table, ret, &err) < 0)
        fail_msg("%s", err.text);
}

static void make(const struct row *own, const struct row *all, double meta_share,
                 struct job_servers *ret)
{
    struct profile run = { 0 };
    run.values[PROFILE_META_SHARE] = meta_share;
    make_of(&run, own, all, ret);
}

static const struct row quiet[] = {
    { "f-OST0000", NULL, 100, 0, 10, 0 },
    { "f-OST0001", NULL, 110, 10, 11, 0 },
    { "f-OST0002", NULL, 0, 90, 9, 0 },
    { "f-OST0003", NULL, 100, 0, 10, 0 },
    { "f-MDT0000", NULL, 0, 0, 0, 50 },
    { "f-MDT0001", NULL, 0, 0, 0, 50 },
    { "f-MDT0002", NULL, 0, 0, 0, 50 },
    { "f-MDT0003", NULL, 0, 0, 0, 5000 },
    { .key = NULL },
};

static void contention_is_of_the_measure_that_shows_it(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct row own; /* on one target */
        struct row all; /* there, instead of what quiet says */
        double meta_share;
        bool is_contended;
        enum server_measure measure;
    } cases[] = {
        { "bytes",
          { "f-OST0001", NULL, 10, 0, 1, 0 },
          { "f-OST0001", NULL, 510, 0, 11, 0 },
          0,
          true,
          SERVER_BYTES },
        { "requests",
          { "f-OST0001", NULL, 10, 0, 1, 0 },
          { "f-OST0001", NULL, 110, 0, 91, 0 },
          0,
          true,
          SERVER_REQUESTS },
        { "not three times",
          { "f-OST0001", NULL, 10, 0, 1, 0 },
          { "f-OST0001", NULL, 309, 0, 12, 0 },
          0,
          false,
          SERVER_BYTES },
        { "the job alone",
          { "f-OST0001", NULL, 9000, 0, 900, 0 },
          { "f-OST0001", NULL, 9100, 0, 910, 0 },
          0,
          false,
          SERVER_BYTES },
        { "the job is the greater part",
          { "f-OST0001", NULL, 9000, 0, 900, 0 },
          { "f-OST0001", NULL, 9500, 0, 910, 0 },
          0,
          false,
          SERVER_BYTES },
        { "metadata that nobody waits for",
          { "f-MDT0003", NULL, 0, 0, 0, 10 },
          { "f-MDT0003", NULL, 0, 0, 0, 5000 },
          0.05,
          false,
          SERVER_METADATA },
        { "metadata",
          { "f-MDT0003", NULL, 0, 0, 0, 10 },
          { "f-MDT0003", NULL, 0, 0, 0, 5000 },
          0.2,
          true,
          SERVER_METADATA },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_servers_done) struct job_servers s = { 0 };
        struct row all[COUNT_OF(quiet)];
        const struct row own[] = { cases[i].own, { .key = NULL } };
        memcpy(all, quiet, sizeof all);
        for (size_t r = 0; all[r].key; r++)
            if (strcmp(all[r].key, cases[i].all.key) == 0)
                all[r] = cases[i].all;
        make(own, all, cases[i].meta_share, &s);
        assert_int_equal(s.target_count, 1);
        const struct server_target *t = &s.targets[0];
        if (t->is_contended != cases[i].is_contended || t->measure != cases[i].measure)
            fail_msg("%s: contended %d by %d, %.2f x", cases[i].name, t->is_contended,
                     t->measure, t->contention);
    }
}

static const struct row uneven[] = {
    { "f-OST0000", NULL, 1000, 0, 10, 0 },
    { "f-OST0001", NULL, 1100, 0, 10, 0 },
    { "f-OST0002", NULL, 1000, 0, 10, 0 },
    { "f-OST0003", NULL, 2000, 0, 10, 0 },
    { "f-OST0004", NULL, 900, 0, 10, 0 },
    { "f-OST0005", NULL, 2300, 0, 10, 0 },
    { "f-OST0006", NULL, 800, 0, 10, 0 },
    { "f-OST0007", NULL, 3300, 0, 10, 0 },
    { .key = NULL },
};

/* Of eight two have twice the median: thrice as much is no exception, six times is. */
static void without_a_log_a_target_stands_out_from_how_they_differ(void **state)
{
    (void)state;
    static const struct row own[] = { { "f-OST0007", NULL, 100, 0, 1, 0 },
                                      { .key = NULL } };
    struct row all[COUNT_OF(uneven)];
    memcpy(all, uneven, sizeof all);
    AUTO(job_servers_done) struct job_servers usual = { 0 };
    make_of(NULL, own, all, &usual);
    assert_true(usual.targets[0].contention > JOB_SERVERS_CONTENDED_MIN);
    assert_true(usual.targets[0].threshold > usual.targets[0].contention);
    assert_false(usual.targets[0].is_contended);
    AUTO(job_servers_done) struct job_servers by_log = { 0 };
    make(own, all, 0, &by_log); /* what it cost is known of its files there */
    assert_true(by_log.targets[0].is_contended);
    all[7].written = 7000;
    AUTO(job_servers_done) struct job_servers hot = { 0 };
    make_of(NULL, own, all, &hot);
    assert_true(hot.targets[0].is_contended);
}

/* 10 of 5,000 bytes: without a log nothing shows that it had to wait. */
static void without_a_log_a_little_part_is_no_contention(void **state)
{
    (void)state;
    static const struct {
        uint64_t written;
        bool is_contended;
    } cases[] = { { 10, false }, { 49, false }, { 60, true } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_servers_done) struct job_servers s = { 0 };
        const struct row own[] = { { "f-OST0001", NULL, cases[i].written, 0, 1, 0 },
                                   { .key = NULL } };
        struct row all[COUNT_OF(quiet)];
        memcpy(all, quiet, sizeof all);
        all[1].written = 5000;
        make_of(NULL, own, all, &s);
        assert_int_equal(s.targets[0].is_contended, cases[i].is_contended);
    }
}

static void what_others_did_is_without_the_job(void **state)
{
    (void)state;
    AUTO(job_servers_done) struct job_servers s = { 0 };
    static const struct row own[] = { { "f-OST0001", NULL, 10, 5, 2, 0 },
                                      { .key = NULL } };
    make(own, quiet, 0, &s);
    assert_int_equal(s.targets[0].others.written_bytes, 100);
    assert_int_equal(s.targets[0].others.read_bytes, 5);
    assert_int_equal(s.targets[0].others.requests, 9);
    assert_int_equal(s.targets[0].index, 1);
    assert_int_equal(s.kind_count[0], 4);
    assert_int_equal(s.all.metadata, 5150);
    assert_true(s.median[0][SERVER_BYTES] == 100);
    assert_true(s.median[1][SERVER_METADATA] == 50);
}

static void few_targets_have_no_median(void **state)
{
    (void)state;
    AUTO(job_servers_done) struct job_servers s = { 0 };
    static const struct row own[] = { { "f-OST0001", NULL, 10, 5, 2, 0 },
                                      { .key = NULL } };
    static const struct row all[] = { { "f-OST0000", NULL, 1, 0, 1, 0 },
                                      { "f-OST0001", NULL, 9000, 0, 900, 0 },
                                      { "f-OST0002", NULL, 1, 0, 1, 0 },
                                      { .key = NULL } };
    make(own, all, 0, &s);
    assert_true(isnan(s.targets[0].contention));
    assert_false(s.targets[0].is_contended);
}

static void where_others_did_nothing_one_neighbour_is_contention(void **state)
{
    (void)state;
    AUTO(job_servers_done) struct job_servers s = { 0 };
    static const struct row own[] = {
        { "f-OST0001", NULL, 10, 0, 2, 0 }, { "f-OST0000", NULL, 1, 0, 1, 0 },
        { "f-OST0002", NULL, 1, 0, 1, 0 },  { "f-OST0003", NULL, 1, 0, 1, 0 },
        { "f-OST0004", NULL, 0, 0, 0, 0 },  { .key = NULL },
    };
    static const struct row all[] = {
        { "f-OST0000", NULL, 1, 0, 1, 0 },
        { "f-OST0001", NULL, 9000, 0, 900, 0 },
        { "f-OST0002", NULL, 1, 0, 1, 0 },
        { "f-OST0003", NULL, 1, 0, 1, 0 },
        { "odd name", NULL, 77, 77, 77, 77 },
        { "f-OST0004", NULL, 0, 0, 0, 0 },
        { .key = NULL },
    };
    make(own, all, 0, &s);
    assert_true(isinf(s.targets[0].contention));
    assert_true(s.targets[0].is_contended);
    assert_int_equal(s.kind_count[0], 5); /* nothing is known of what the last did */
    assert_int_equal(s.target_count, 4);
}

struct presence_row {
    const char *target;
    struct row row;
};

static void presences_fill(struct table *t, const struct presence_row *rows)
{
    table_init(t);
    table_add_column(t, "target", TABLE_TEXT, "");
    table_add_column(t, "job", TABLE_TEXT, "");
    table_add_column(t, "user", TABLE_TEXT, "");
    for (size_t i = 0; i < job_servers_op_count; i++)
        table_add_column(t, job_servers_ops[i], TABLE_U64, "");
    for (const struct presence_row *r = rows; r->target; r++) {
        const uint64_t values[] = { r->row.written, r->row.read, r->row.requests,
                                    r->row.metadata };
        table_add_row(t);
        table_set_text(t, 0, span_of(r->target));
        if (*r->row.key)
            table_set_text(t, 1, span_of(r->row.key));
        if (r->row.user)
            table_set_text(t, 2, span_of(r->row.user));
        for (size_t i = 0; i < COUNT_OF(values); i++)
            table_set_u64(t, 3 + i, values[i]);
    }
}

static const struct server_target *target_named(const struct job_servers *s,
                                                const char *name)
{
    for (size_t i = 0; i < s->target_count; i++)
        if (strcmp(s->targets[i].name, name) == 0)
            return &s->targets[i];
    fail_msg("no target %s", name);
    return NULL;
}

static void neighbours_are_the_biggest_and_not_the_job(void **state)
{
    (void)state;
    AUTO(job_servers_done) struct job_servers s = { 0 };
    AUTO(table_done) struct table by_job;
    struct err err = { 0 };
    static const struct row own[] = { { "f-OST0001", NULL, 10, 0, 2, 0 },
                                      { "f-OST0002", NULL, 0, 10, 2, 0 },
                                      { .key = NULL } };
    static const struct presence_row rows[] = {
        { "f-OST0001", { "2", "u2", 20, 0, 1, 0 } },
        { "f-OST0001", { "4711", "me", 900, 0, 9, 0 } },
        { "f-OST0001", { "", NULL, 5, 0, 1, 0 } },
        { "f-OST0001", { "3", "u3", 10, 20, 1, 0 } },
        { "f-OST0001", { "5", NULL, 0, 0, 0, 7 } },
        { "f-OST0001", { "4", "u4", 40, 0, 1, 0 } },
        { "f-OST0003", { "6", "u6", 4000, 0, 1, 0 } },
        { "f-OST0002", { "", NULL, 5, 0, 1, 0 } },
        { "f-OST0002", { "4711", "me", 900, 0, 9, 0 } },
        { "f-OST0002", { "9", NULL, 3, 0, 1, 0 } },
        { "f-OST0002", { "9", "u9", 3, 0, 1, 0 } },
        { "f-OST0002", { "8", "u1", 10, 0, 3, 0 } },
        { "f-OST0002", { "8", "u2", 10, 0, 0, 0 } },
        { "f-OST0002", { "8", "u3", 0, 0, 0, 0 } },
        { .target = NULL },
    };
    make(own, quiet, 0, &s);
    presences_fill(&by_job, rows);
    for (size_t i = 0; i < s.target_count; i++)
        s.targets[i].measure = SERVER_BYTES;
    assert_int_equal(
        job_servers_add_neighbours(&s, s.target_count, "4711", &by_job, &err), 0);
    const struct server_target *t = target_named(&s, "f-OST0001");
    assert_int_equal(t->neighbour_count, 3);
    assert_string_equal(t->neighbours[0].job, "4");
    assert_string_equal(t->neighbours[1].job, "3");
    assert_string_equal(t->neighbours[1].user, "u3");
    assert_string_equal(t->neighbours[2].job, "2");
    t = target_named(&s, "f-OST0002");
    assert_int_equal(t->neighbour_count, 3);
    assert_string_equal(t->neighbours[0].job, "8");
    assert_null(t->neighbours[0].user); /* several */
    assert_int_equal(t->neighbours[0].flow.written_bytes, 20);
    assert_string_equal(t->neighbours[1].job, "9");
    assert_string_equal(t->neighbours[1].user, "u9");
    assert_int_equal(t->neighbours[1].flow.requests, 2);
    assert_null(t->neighbours[2].job);
}

/* Of as many bytes, who has the greater part of anything that was done there. */
static void neighbours_of_one_size_are_in_a_fixed_order(void **state)
{
    (void)state;
    AUTO(job_servers_done) struct job_servers s = { 0 };
    AUTO(table_done) struct table by_job;
    struct err err = { 0 };
    static const struct row own[] = { { "f-OST0001", NULL, 10, 0, 2, 0 },
                                      { .key = NULL } };
    static const struct presence_row rows[] = {
        { "f-OST0001", { "1", NULL, 10, 0, 1, 0 } },
        { "f-OST0001", { "3", NULL, 10, 0, 90, 0 } },
        { "f-OST0001", { "2", NULL, 10, 0, 90, 0 } },
        { .target = NULL },
    };
    make(own, quiet, 0, &s);
    presences_fill(&by_job, rows);
    s.targets[0].measure = SERVER_BYTES;
    assert_int_equal(job_servers_add_neighbours(&s, 1, "4711", &by_job, &err), 0);
    assert_int_equal(s.targets[0].neighbour_count, 3);
    assert_string_equal(s.targets[0].neighbours[0].job, "2");
    assert_string_equal(s.targets[0].neighbours[1].job, "3");
    assert_string_equal(s.targets[0].neighbours[2].job, "1");
}

static void another_answer_is_refused(void **state)
{
    (void)state;
    AUTO(table_done) struct table own;
    AUTO(table_done) struct table all;
    struct job_servers s;
    struct profile run = { 0 };
    struct err err = { 0 };
    fill(&own, "target", quiet);
    table_init(&all);
    table_add_column(&all, "target", TABLE_TEXT, "");
    table_add_column(&all, "write_bytes", TABLE_DOUBLE, "");
    assert_int_equal(job_servers_make(&run, &own, &all, &s, &err), -EBADMSG);
    assert_true(err.text[0] != 0);
    s = (struct job_servers){ 0 };
    err.text[0] = 0; /* by job, but not by target */
    AUTO(table_done) struct table by_job;
    fill(&by_job, "job", quiet);
    assert_int_equal(job_servers_add_neighbours(&s, 0, "4711", &by_job, &err),
                     -EBADMSG);
    assert_true(err.text[0] != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contention_is_of_the_measure_that_shows_it),
        cmocka_unit_test(without_a_log_a_target_stands_out_from_how_they_differ),
        cmocka_unit_test(without_a_log_a_little_part_is_no_contention),
        cmocka_unit_test(what_others_did_is_without_the_job),
        cmocka_unit_test(few_targets_have_no_median),
        cmocka_unit_test(where_others_did_nothing_one_neighbour_is_contention),
        cmocka_unit_test(neighbours_are_the_biggest_and_not_the_job),
        cmocka_unit_test(neighbours_of_one_size_are_in_a_fixed_order),
        cmocka_unit_test(another_answer_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
