/* SPDX-License-Identifier: Apache-2.0 */
/* test_api - the routes, asked over a socket, on a real database. */
#include "api/api.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "base/timetext.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MINUTE_MS INT64_C(60000)

struct house {
    char dir[64], socket[96], url[128], path[96];
    struct site *site;
    struct records *records;
    struct live *live;
    struct api *api;
    struct net_opts net_opts;
    struct net_server *server;
    struct net_client *client;
    struct net_response response;
};

static struct house house;
static int64_t now_ms; /* a whole minute, not long ago */

static void add_row(struct jobbatch *batch, const char *target, const char *id,
                    int64_t t_ms, uint64_t bytes)
{
    struct jobrow *row = jobbatch_add_row(batch);
    row->fs = SPAN("scratch");
    row->server = SPAN("oss01");
    row->target = span_of(target);
    row->kind = TARGET_OST;
    row->entry_id = span_of(id);
    row->id_exact = true;
    row->t_ms = t_ms;
    row->since_ms = t_ms - 2 * MINUTE_MS;
    row->previous_ms = bytes > 1200 ? t_ms - 2 * MINUTE_MS : T_NONE;
    row->reset = bytes > 1200 ? RESET_NO : RESET_YES;
    row->snapshot_ns = t_ms * 1000000;
    row->has_sum = row->has_samples = UINT64_C(1) << OP_WRITE_BYTES;
    row->sum[OP_WRITE_BYTES] = bytes;
    row->samples[OP_WRITE_BYTES] = 1;
}

static void put_rows(struct house *h)
{
    AUTO(jobbatch_done) struct jobbatch batch;
    struct records_response response;
    struct err err = { 0 };
    jobbatch_init(&batch, 0);
    add_row(&batch, "scratch-OST0001", "7:1000:n1", now_ms - 2 * MINUTE_MS, 1200);
    add_row(&batch, "scratch-OST0001", "7:1000:n1", now_ms, 7200);
    add_row(&batch, "scratch-OST0002", "8:1001:n1", now_ms, 600);
    if (records_put(h->records, &batch, now_ms, &response, live_accept, h->live, &err) <
        0)
        fail_msg("%s", err.text);
    assert_int_equal(response.accepted, 3);
}

static void open_records(struct house *h)
{
    struct err err = { 0 };
    const struct records_opts opts = { .engine = "sqlite",
                                       .path = h->path,
                                       .retention_ns = INT64_C(86400000000000) };
    const struct live_opts live_opts = { 0 };
    if (site_new(NULL, &h->site, &err) < 0 ||
        records_open(&opts, h->site, &h->records, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(live_new(&live_opts, &h->live), 0);
}

static void warm_live(struct house *h)
{
    struct history_readers readers = { 0 };
    struct history history;
    struct err err = { 0 };
    assert_int_equal(records_reader_open(h->records, &readers.rows, &err), 0);
    assert_int_equal(records_reader_open(h->records, &readers.series, &err), 0);
    history_of_records(&readers, &history);
    assert_int_equal(live_warm(h->live, &history, now_ms, &err), 0);
    records_reader_close(readers.rows);
    records_reader_close(readers.series);
}

/* A query that takes as long as a test wants. */
static atomic_bool is_held;

static void hold(void *arg, struct json_writer *w)
{
    (void)arg, (void)w;
    while (is_held)
        (void)usleep(1000);
}

static int setup(void **state)
{
    (void)state;
    struct house *h = &house;
    struct err err = { 0 };
    *h = (struct house){ 0 };
    now_ms = clock_now_ms() / MINUTE_MS * MINUTE_MS;
    (void)snprintf(h->dir, sizeof h->dir, "/tmp/baro-api-XXXXXX");
    assert_non_null(mkdtemp(h->dir));
    (void)snprintf(h->socket, sizeof h->socket, "%.40s/barod.sock", h->dir);
    (void)snprintf(h->url, sizeof h->url, "unix:%.80s", h->socket);
    (void)snprintf(h->path, sizeof h->path, "%.40s/records.db", h->dir);
    open_records(h);
    warm_live(h);
    put_rows(h);
    const struct api_opts opts = { .records = h->records,
                                   .live = h->live,
                                   .status = hold };
    if (api_new(&opts, &h->api, &err) < 0)
        fail_msg("%s", err.text);
    net_opts_default(&h->net_opts);
    static const char *addresses[] = { "127.0.0.1:0" };
    h->net_opts.listen = (struct config_list){ addresses, 1 };
    h->net_opts.socket = h->socket;
    if (net_server_new(&h->net_opts, &h->server, &err) < 0 ||
        api_register(h->api, h->server) < 0 || net_server_start(h->server, &err) < 0)
        fail_msg("%s", err.text);
    const struct net_client_opts client = { .url = h->url };
    if (net_client_new(&client, &h->client, &err) < 0)
        fail_msg("%s", err.text);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    struct house *h = &house;
    char command[128];
    net_response_done(&h->response);
    net_client_free(h->client);
    net_server_free(h->server);
    api_free(h->api);
    live_free(h->live);
    records_close(h->records);
    site_free(h->site);
    (void)snprintf(command, sizeof command, "rm -rf '%.40s'", h->dir);
    return system(command);
}

static void get(const char *path, unsigned want_status)
{
    struct err err = { 0 };
    if (net_client_get(house.client, path, &house.response, &err) < 0)
        fail_msg("%s: %s", path, err.text);
    if (house.response.status != want_status)
        fail_msg("%s: %u %s", path, house.response.status,
                 strbuf_text(&house.response.body));
}

static void get_table(const char *path, struct table *ret)
{
    struct err err = { 0 };
    get(path, 200);
    table_init(ret);
    if (table_from_json(strbuf_span(&house.response.body), ret, &err) < 0)
        fail_msg("%s: %s", path, err.text);
}

static uint64_t cell(const struct table *table, size_t row, const char *column)
{
    int i = table_find_column(table, column);
    if (i < 0 || row >= table->row_count)
        fail_msg("no column %s or no row %zu", column, row);
    return table_at(table, row, (size_t)i)->u64;
}

static bool has_note(const struct table *table, const char *words)
{
    for (size_t i = 0; i < table->note_count; i++)
        if (strstr(table->notes[i], words))
            return true;
    return false;
}

static void top_answers_from_memory(void **state)
{
    (void)state;
    AUTO(table_done) struct table table;
    get_table("/v1/jobstats/top?op=write_bytes&target=*-OST0001&last=10m", &table);
    assert_int_equal(table.row_count, 1);
    assert_string_equal(table_at(&table, 0, 0)->text, "7");
    assert_int_equal(cell(&table, 0, "write_bytes"), 7200);
    assert_true(has_note(&table, "read from memory"));
}

static void rates_answer_from_the_database_alike(void **state)
{
    (void)state;
    AUTO(table_done) struct table table;
    get_table("/v1/jobstats/rates?op=write_bytes&by=job&last=2h", &table);
    assert_false(has_note(&table, "read from memory"));
    assert_int_equal(table.row_count, 2);
    assert_int_equal(cell(&table, 0, "write_bytes"), 7200);
    assert_int_equal(cell(&table, 1, "write_bytes"), 600);
}

static void series_are_listed(void **state)
{
    (void)state;
    AUTO(table_done) struct table table;
    get_table("/v1/jobstats/series?user=1001", &table);
    assert_int_equal(table.row_count, 1);
    int entry = table_find_column(&table, "entry");
    assert_string_equal(table_at(&table, 0, (size_t)entry)->text, "8:1001:n1");
}

static void a_job_has_a_page(void **state)
{
    (void)state;
    struct table parts[QUERY_JOB_PART_COUNT];
    struct err err = { 0 };
    get("/v1/jobstats/job/7", 200);
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_init(&parts[i]);
    if (query_job_from_json(strbuf_span(&house.response.body), parts, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(cell(&parts[QUERY_JOB_SUMMARY], 0, "write_bytes"), 7200);
    assert_int_equal(parts[QUERY_JOB_OPERATIONS].row_count, 1);
    assert_int_equal(parts[QUERY_JOB_TARGETS].row_count, 1);
    assert_int_equal(parts[QUERY_JOB_NODES].row_count, 1);
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_done(&parts[i]);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        unsigned status;
        const char *words;
    } cases[] = {
        { "/v1/jobstats/top?colour=red", 400, "colour" },
        { "/v1/jobstats/top?colour=red", 400, "(choose fs, target, job, user" },
        { "/v1/status?colour=red", 400,
          "'colour' is not a parameter of /v1/status (it has none)" },
        { "/v1/jobstats/top?by=colour", 400, "fs, target, server" },
        { "/v1/jobstats/rates?density=maybe", 400, "(choose yes, no)" },
        { "/v1/space?by=colour", 400,
          "by: invalid value 'colour': fs (default): a row a file system; target" },
        { "/v1/nodes?last=soon", 400,
          "last: invalid value 'soon' (write it as 30s, 10m, 2h, 7d)" },
        { "/v1/nodes?from=soon", 400,
          "from: invalid value 'soon' (write it as 2026-11-21T06:00Z, -2h" },
        { "/v1/nodes?window=1s", 400, "window: invalid value '1s': Length of" },
        { "/v1/nodes?limit=-1", 400, "limit: invalid value '-1': So many" },
        { "/v1/jobstats/top?op=teleport", 400, "teleport" },
        { "/v1/jobstats/top?step=1m", 400, "step" },
        { "/v1/jobstats/rates?from=yesterday", 400, "yesterday" },
        { "/v1/jobstats/rates?from=now&to=-1h", 400, "before" },
        { "/v1/jobstats/rates?last=400d&step=1ms", 400, "step" },
        { "/v1/jobstats/job/nobody", 404, "nobody" },
        { "/v1/jobstats/jobs", 404, "" },
        { "/v1/jobs?format=xml", 400,
          "format: invalid value 'xml' (choose table, lines, json)\"" },
        { "/v1/jobs?format=csv", 400,
          "format: invalid value 'csv' (choose table, lines, json)\"" },
        { "/v1/summaries?format=xml", 400,
          "format: invalid value 'xml' (choose table, lines, csv)" },
        { "/v1/jobs?from=yesterday", 400, "from: 'yesterday' is not a time" },
        { "/v1/jobs?colour=red", 400, "colour" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        get(cases[i].path, cases[i].status);
        if (!strstr(strbuf_text(&house.response.body), cases[i].words))
            fail_msg("%s: %s", cases[i].path, strbuf_text(&house.response.body));
    }
}

static void jobs_have_their_columns(void **state)
{
    static const char *const names[] = {
        "cluster", "job",    "raw_id", "user", "user_name",  "account", "partition",
        "state",   "submit", "start",  "end",  "node_count", "nodes",   "name"
    };
    AUTO(table_done) struct table table;
    (void)state;
    get_table("/v1/jobs", &table);
    assert_int_equal(table.column_count, COUNT_OF(names) + JOB_RESOURCE_COUNT);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_int_equal(table_find_column(&table, names[i]), i);
    for (size_t i = 0; i < JOB_RESOURCE_COUNT; i++)
        assert_int_equal(table_find_column(&table, job_resource_names[i]),
                         COUNT_OF(names) + i);
}

static int ignore(void *arg, enum json_event event, struct span text, unsigned depth)
{
    (void)arg, (void)event, (void)text, (void)depth;
    return 0;
}

static void status_says_what_is_kept(void **state)
{
    (void)state;
    struct err err = { 0 };
    get("/v1/status", 200);
    if (json_read(strbuf_span(&house.response.body), ignore, NULL, &err) < 0)
        fail_msg("%s", err.text);
    const char *live = strstr(strbuf_text(&house.response.body), "\"live\":{");
    assert_non_null(live);
    assert_non_null(strstr(live, "\"series\":2,\"bytes\":"));
    assert_non_null(strstr(live, "\"rows\":3,\"late_rows\":0,"));
    /* Of the database, and no error where it responds. */
    const char *records = strstr(strbuf_text(&house.response.body), "\"records\":{");
    assert_non_null(records);
    assert_non_null(strstr(records, "\"describe\":\"SQLite"));
    char first[TIMETEXT_SIZE], last[TIMETEXT_SIZE], want[160];
    (void)timetext_print_ms(first, now_ms - 2 * MINUTE_MS);
    (void)timetext_print_ms(last, now_ms);
    (void)snprintf(want, sizeof want,
                   "\"first\":\"%s\",\"last\":\"%s\",\"series\":2,\"rows\":3,", first,
                   last);
    assert_non_null(strstr(records, want));
    assert_null(strstr(strbuf_text(&house.response.body), "\"error\""));
}

static void on_the_socket_nobody_shows_a_token(void **state)
{
    (void)state;
    get("/v1/whoami", 200);
    assert_non_null(strstr(strbuf_text(&house.response.body), "\"host\":null"));
    assert_non_null(strstr(strbuf_text(&house.response.body), "\"targets\":[]"));
}

#define ASKERS 40

static void *ask_status(void *arg)
{
    static const struct err none;
    struct net_client *client = NULL;
    struct net_response response = { 0 };
    struct err err = none;
    const struct net_client_opts opts = { .url = house.url };
    if (net_client_new(&opts, &client, &err) == 0 &&
        net_client_get(client, "/v1/status", &response, &err) == 0)
        *(unsigned *)arg = response.status;
    net_response_done(&response);
    net_client_free(client);
    return NULL;
}

static void wait_for_questions(uint64_t count)
{
    struct api_stats stats = { 0 };
    for (int i = 0; i < 10000 && stats.asked + stats.waiting + stats.refused < count;
         i++) {
        (void)usleep(1000);
        api_get_stats(house.api, &stats);
    }
}

static void one_sender_does_not_keep_others_from_asking(void **state)
{
    (void)state;
    pthread_t threads[ASKERS];
    unsigned statuses[ASKERS] = { 0 };
    struct err err = { 0 };
    char url[64];
    struct net_client *other = NULL;
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%u",
                   net_server_port(house.server, 0));
    const struct net_client_opts opts = { .url = url };
    assert_int_equal(net_client_new(&opts, &other, &err), 0);
    is_held = true;
    for (int i = 0; i < ASKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_status, &statuses[i]),
                         0);
    wait_for_questions(ASKERS);
    int rc = net_client_get(other, "/v1/jobstats/top", &house.response, &err);
    is_held = false;
    unsigned answered = 0, refused = 0;
    for (int i = 0; i < ASKERS; i++) {
        (void)pthread_join(threads[i], NULL);
        answered += statuses[i] == 200;
        refused += statuses[i] == 503;
    }
    net_client_free(other);
    assert_int_equal(rc, 0);
    assert_int_equal(house.response.status, 200);
    /* Half of the queue, and two workers if they were quick enough to take some. */
    assert_in_range(answered, 16, 18);
    assert_int_equal(refused, ASKERS - answered);
}

/* The document beside the sources is the one that is served. */
static void the_document_is_up_to_date(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf kept = STRBUF_INIT;
    struct err err = { 0 };
    get("/v1/openapi.json", 200);
    if (json_read(strbuf_span(&house.response.body), ignore, NULL, &err) < 0)
        fail_msg("%s", err.text);
    if (getenv("BARO_WRITE_OPENAPI"))
        assert_int_equal(file_replace(OPENAPI_PATH, house.response.body.data,
                                      house.response.body.size, 0644, &err),
                         0);
    if (file_read(OPENAPI_PATH, 1 << 20, &kept, &err) < 0)
        fail_msg("%s", err.text);
    if (!span_eq(strbuf_span(&kept), strbuf_span(&house.response.body)))
        fail_msg("doc/openapi.json is old: run this test with BARO_WRITE_OPENAPI=1");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(top_answers_from_memory),
        TEST(rates_answer_from_the_database_alike),
        TEST(series_are_listed),
        TEST(a_job_has_a_page),
        TEST(what_is_wrong_is_said),
        TEST(jobs_have_their_columns),
        TEST(status_says_what_is_kept),
        TEST(on_the_socket_nobody_shows_a_token),
        TEST(the_document_is_up_to_date),
        TEST(one_sender_does_not_keep_others_from_asking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
