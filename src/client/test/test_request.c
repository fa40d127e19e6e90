/* SPDX-License-Identifier: Apache-2.0 */
/* test_request - one request, one result: from a barod, and from a database. */
#include "base/span.h"
#include "base/test/testing.h"
#include "client/client.h"
#include "client/test/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MINUTE_MS INT64_C(60000)
#define T0_MS INT64_C(1795219200000) /* 2026-11-21T00:00:00Z */
#define TABLE_JSON "{\"columns\":[{\"name\":\"a\",\"type\":\"u64\"}],\"rows\":[[7]]}"

static struct server server;
static char database[64];

/* 6000 bytes in two minutes, after 1200 that nothing is known before. */
static void row_add(struct jobbatch *batch, int64_t t_ms, uint64_t bytes, bool is_first)
{
    struct jobrow *row = jobbatch_add_row(batch);
    row->fs = SPAN("scratch");
    row->server = SPAN("oss01");
    row->target = SPAN("scratch-OST0001");
    row->kind = TARGET_OST;
    row->entry_id = SPAN("7:1000:n1");
    row->id_exact = true;
    row->t_ms = t_ms;
    row->since_ms = t_ms - 2 * MINUTE_MS;
    row->previous_ms = is_first ? T_NONE : t_ms - 2 * MINUTE_MS;
    row->reset = is_first ? RESET_YES : RESET_NO;
    row->snapshot_ns = t_ms * 1000000;
    row->has_sum = row->has_samples = UINT64_C(1) << OP_WRITE_BYTES;
    row->sum[OP_WRITE_BYTES] = bytes;
    row->samples[OP_WRITE_BYTES] = 1;
}

static void database_make(void)
{
    AUTO(jobbatch_done) struct jobbatch batch;
    struct records_opts opts = { .engine = "sqlite",
                                 .path = database,
                                 .retention_ns = INT64_C(86400000000000) };
    struct site *site = NULL;
    struct records *records = NULL;
    struct records_response result;
    struct err err = { 0 };
    if (site_new(NULL, &site, &err) < 0 ||
        records_open(&opts, site, &records, &err) < 0)
        fail_msg("%s", err.text);
    jobbatch_init(&batch, 0);
    row_add(&batch, T0_MS, 1200, true);
    row_add(&batch, T0_MS + 2 * MINUTE_MS, 7200, false);
    if (records_put(records, &batch, T0_MS + 2 * MINUTE_MS, &result, NULL, NULL, &err) <
        0)
        fail_msg("%s", err.text);
    records_close(records);
    site_free(site);
}

static int setup(void **state)
{
    (void)state;
    (void)unsetenv("BARO_SERVER");
    server_start(&server);
    (void)snprintf(database, sizeof database, "%s/records.db", server.dir);
    database_make();
    return 0;
}

static int teardown(void **state)
{
    char command[96];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", server.dir);
    server_stop(&server);
    return system(command) == 0 ? 0 : -1;
}

static void select_words(const char *words, struct selection *sel)
{
    struct span rest = span_of(words), word, name;
    struct err err = { 0 };
    selection_init(sel, T0_MS + 3 * MINUTE_MS);
    while (rest.size) {
        (void)span_cut(&rest, ' ', &word);
        (void)span_cut(&word, '=', &name);
        if (selection_set(sel, name, word, &err) < 0)
            fail_msg("%s: %s", words, err.text);
    }
}

static struct client *client_new(const char *url, const char *records)
{
    const struct client_endpoint endpoint = { .server = url, .records = records };
    struct client *client = NULL;
    struct err err = { 0 };
    if (client_open(&endpoint, &client, &err) < 0)
        fail_msg("%s", err.text);
    return client;
}

/* ---- a barod ---- */

static void each_request_has_its_route_and_the_selections_parameters(void **state)
{
    static const struct server_response script[] = { { 200, TABLE_JSON, NULL, false } };
    static const struct {
        enum client_request request;
        const char *words, *want;
    } cases[] = {
        { CLIENT_TOP, "", "GET /v1/jobstats/top" },
        { CLIENT_TOP, "job=4711 by=user,op limit=3",
          "GET /v1/jobstats/top job=4711 by=user,op limit=3" },
        { CLIENT_RATES, "step=30s density=yes",
          "GET /v1/jobstats/rates step=30000ms density=yes" },
        { CLIENT_SERIES, "entry=a&b\\x20c", "GET /v1/jobstats/series entry=a&b c" },
    };
    AUTO(client_close) struct client *client = client_new(server.url, NULL);
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(selection_done) struct selection sel;
        AUTO(table_done) struct table table;
        struct err err = { 0 };
        table_init(&table);
        select_words(cases[i].words, &sel);
        server_script(&server, script, COUNT_OF(script));
        if (client_table(client, cases[i].request, &sel, &table, &err) < 0)
            fail_msg("%zu: %s", i, err.text);
        assert_string_equal(server.last, cases[i].want);
        assert_int_equal(table_at(&table, 0, 0)->u64, 7);
    }
}

static void a_job_is_part_of_the_path(void **state)
{
    static const struct server_response script[] = { { 404, "no such", NULL, false } };
    AUTO(client_close) struct client *client = client_new(server.url, NULL);
    AUTO(selection_done) struct selection sel;
    struct table parts[QUERY_JOB_PART_COUNT];
    struct err err = { 0 };
    (void)state;
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_init(&parts[i]);
    select_words("fs=a job=4/7", &sel);
    server_script(&server, script, COUNT_OF(script));
    assert_int_equal(client_job(client, &sel, parts, &err), -ENOENT);
    assert_string_equal(server.last, "GET /v1/jobstats/job/4/7 fs=a");
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_done(&parts[i]);
}

static void what_the_server_refuses_is_the_requests_error(void **state)
{
    static const struct server_response script[] = { { 400, "why", NULL, false } };
    AUTO(client_close) struct client *client = client_new(server.url, NULL);
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    (void)state;
    table_init(&table);
    select_words("", &sel);
    server_script(&server, script, COUNT_OF(script));
    assert_int_equal(client_table(client, CLIENT_TOP, &sel, &table, &err), -EINVAL);
    assert_string_equal(err.text, "the server responds with 400: why");
    assert_int_equal(table.row_count, 0);
}

/* ---- a database ---- */

static const struct table_cell *cell(const struct table *table, const char *column)
{
    int index = table_find_column(table, column);
    if (index < 0 || table->row_count != 1)
        fail_msg("%s: column %d, %zu rows", column, index, table->row_count);
    return table_at(table, 0, (size_t)index);
}

/* 7200 - 1200 bytes in 120 s are 50 bytes/s. */
static void a_database_is_read_without_a_server(void **state)
{
    AUTO(client_close) struct client *client = client_new(NULL, database);
    AUTO(selection_done) struct selection top, rates, series;
    AUTO(table_done) struct table a, b, c;
    struct err err = { 0 };
    (void)state;
    table_init(&a);
    table_init(&b);
    table_init(&c);
    select_words("last=2m op=write_bytes", &top);
    assert_int_equal(client_table(client, CLIENT_TOP, &top, &a, &err), 0);
    assert_string_equal(cell(&a, "job")->text, "7");
    assert_true(cell(&a, "write_bytes_rate")->dbl == 50);
    select_words("last=2m op=write_bytes by=", &rates);
    assert_int_equal(client_table(client, CLIENT_RATES, &rates, &b, &err), 0);
    assert_int_equal(cell(&b, "write_bytes")->u64, 6000);
    select_words("user=1000", &series);
    assert_int_equal(client_table(client, CLIENT_SERIES, &series, &c, &err), 0);
    assert_string_equal(cell(&c, "entry")->text, "7:1000:n1");
}

static void a_job_of_a_database_has_all_parts(void **state)
{
    static const struct {
        const char *job;
        int want;
    } cases[] = { { "job=7", 0 }, { "job=8", -ENOENT } };
    AUTO(client_close) struct client *client = client_new(NULL, database);
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(selection_done) struct selection sel;
        struct table parts[QUERY_JOB_PART_COUNT];
        struct err err = { 0 };
        for (int p = 0; p < QUERY_JOB_PART_COUNT; p++)
            table_init(&parts[p]);
        select_words(cases[i].job, &sel);
        assert_int_equal(client_job(client, &sel, parts, &err), cases[i].want);
        for (int p = 0; p < QUERY_JOB_PART_COUNT; p++) {
            assert_int_equal(parts[p].row_count > 0, cases[i].want == 0);
            table_done(&parts[p]);
        }
    }
}

static void what_cannot_be_opened_is_refused(void **state)
{
    static const struct {
        struct client_endpoint endpoint;
        int want;
        const char *reason;
    } cases[] = {
        { { .server = "unix:/a", .records = "b" },
          -EINVAL,
          "--records and --server exclude one another" },
        { { .records = "/nonexistent/records.db" },
          -ENOENT,
          "'/nonexistent/records.db': No such file or directory" },
        { { .server = "ftp://a" }, -EINVAL, "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct client *client = NULL;
        struct err err = { 0 };
        int rc = client_open(&cases[i].endpoint, &client, &err);
        if (rc != cases[i].want || !strstr(err.text, cases[i].reason))
            fail_msg("%zu: %d %s", i, rc, err.text);
        assert_null(client);
    }
    assert_int_equal(access("/nonexistent", F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_request_has_its_route_and_the_selections_parameters),
        cmocka_unit_test(a_job_is_part_of_the_path),
        cmocka_unit_test(what_the_server_refuses_is_the_requests_error),
        cmocka_unit_test(a_database_is_read_without_a_server),
        cmocka_unit_test(a_job_of_a_database_has_all_parts),
        cmocka_unit_test(what_cannot_be_opened_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
