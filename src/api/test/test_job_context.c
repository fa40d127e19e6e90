/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_context - all that a barod has of a job, as GET /v1/jobs/{id} shows it. */
#include "api/api.h"
#include "base/clock.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct house {
    char dir[64], socket[96], url[128], path[96];
    struct site *site;
    struct records *records;
    struct live *live;
    struct metric_store *store;
    struct api *api;
    struct net_opts net_opts;
    struct net_server *server;
    struct net_client *client;
    struct net_response response;
};

static struct house house;
static int64_t end_ms; /* of the job, a whole minute, not long ago */

static void row_add(struct jobbatch *batch, const char *target, const char *id,
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
    row->since_ms = t_ms - 60000;
    row->previous_ms = T_NONE;
    row->reset = RESET_YES;
    row->snapshot_ns = t_ms * NS_PER_MS;
    row->has_sum = row->has_samples = UINT64_C(1) << OP_WRITE_BYTES;
    row->sum[OP_WRITE_BYTES] = bytes;
    row->samples[OP_WRITE_BYTES] = 1;
}

static void rows_put(struct house *h)
{
    AUTO(jobbatch_done) struct jobbatch batch;
    struct records_response response;
    struct err err = { 0 };
    jobbatch_init(&batch, 0);
    row_add(&batch, "scratch-OST0001", "7:1000:n1", end_ms - 60000, 7200);
    row_add(&batch, "scratch-OST0001", "8:1001:n3", end_ms - 60000, 600);
    if (records_put(h->records, &batch, clock_now_ms(), &response, live_accept, h->live,
                    &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(response.accepted, 2);
}

static struct job job_of(const char *id, const char *nodes, int64_t end_ns)
{
    return (struct job){ .cluster = SPAN("big"),
                         .id = span_of(id),
                         .raw_id = span_of(id),
                         .user = SPAN("ann"),
                         .state = SPAN("COMPLETED"),
                         .nodes = span_of(nodes),
                         .node_count = 2,
                         .submit_ns = (end_ms - 700000) * NS_PER_MS,
                         .start_ns = (end_ms - 600000) * NS_PER_MS,
                         .end_ns = end_ns };
}

static void jobs_put(struct house *h)
{
    const struct job jobs[] = {
        job_of("7", "n[1-2]", end_ms * NS_PER_MS),
        job_of("8", "n[3-4]", end_ms * NS_PER_MS),
        job_of("9", "n[5-6]", JOB_TIME_NONE),
    };
    struct records_submission submission;
    struct err err = { 0 };
    if (records_put_jobs(h->records, jobs, COUNT_OF(jobs), clock_now_ms(), &submission,
                         &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(submission.accepted, COUNT_OF(jobs));
}

static void sample_put(struct house *h, const struct metric *metric, const char *path,
                       double value)
{
    struct level_series *series = NULL;
    struct sample_counts counts = { 0 };
    assert_int_equal(metric_store_series(h->store, span_of(path), metric, &series), 0);
    struct sample point = { series, (end_ms - 300000) * NS_PER_MS, value };
    const struct metric_batch batch = { metric_store_shard(h->store, span_of(path)),
                                        &point, 1, METRIC_STORED };
    assert_int_equal(metric_store_put(h->store, &batch, &counts), 0);
}

static void samples_put(struct house *h)
{
    const struct metric load = { .name = SPAN("load"), .step_ns = 60 * NS_PER_S };
    const struct metric packets = { .name = SPAN("packets"),
                                    .kind = METRIC_COUNTER,
                                    .step_ns = 60 * NS_PER_S };
    const struct metric *metric = NULL;
    struct metric_table *metrics = metric_store_metrics(h->store);
    assert_int_equal(metric_declare(metrics, &load, &metric), 0);
    sample_put(h, metric, "big/n1", 2);
    sample_put(h, metric, "big/n2", 4);
    sample_put(h, metric, "big/n3", 100);
    assert_int_equal(metric_declare(metrics, &packets, &metric), 0);
    sample_put(h, metric, "big/n1", 5000);
}

static void records_make(struct house *h)
{
    struct err err = { 0 };
    const struct records_opts opts = { .engine = "sqlite",
                                       .path = h->path,
                                       .retention_ns = INT64_C(86400) * NS_PER_S };
    const struct live_opts live_opts = { 0 };
    const struct metric_store_options store = { .shard_count = 2 };
    if (site_new(NULL, &h->site, &err) < 0 ||
        records_open(&opts, h->site, &h->records, &err) < 0 ||
        metric_store_open(&store, &h->store, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(live_new(&live_opts, &h->live), 0);
}

static int setup(void **state)
{
    (void)state;
    struct house *h = &house;
    struct err err = { 0 };
    *h = (struct house){ 0 };
    end_ms = clock_now_ms() / 60000 * 60000 - 600000;
    (void)snprintf(h->dir, sizeof h->dir, "/tmp/baro-job-XXXXXX");
    assert_non_null(mkdtemp(h->dir));
    (void)snprintf(h->socket, sizeof h->socket, "%.40s/barod.sock", h->dir);
    (void)snprintf(h->url, sizeof h->url, "unix:%.80s", h->socket);
    (void)snprintf(h->path, sizeof h->path, "%.40s/records.db", h->dir);
    records_make(h);
    rows_put(h);
    jobs_put(h);
    samples_put(h);
    const struct api_opts opts = { .records = h->records,
                                   .live = h->live,
                                   .store = h->store };
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
    metric_store_close(h->store);
    site_free(h->site);
    (void)snprintf(command, sizeof command, "rm -rf '%.40s'", h->dir);
    return system(command);
}

static const char *get(const char *path, unsigned want_status)
{
    struct err err = { 0 };
    if (net_client_get(house.client, path, &house.response, &err) < 0)
        fail_msg("%s: %s", path, err.text);
    if (house.response.status != want_status)
        fail_msg("%s: %u %s", path, house.response.status,
                 strbuf_text(&house.response.body));
    return strbuf_text(&house.response.body);
}

static void body_has(const char *body, const char *part)
{
    assert_non_null(body);
    if (!strstr(body, part))
        fail_msg("no %s in %s", part, body);
}

static void a_job_has_all_that_is_known_of_it(void **state)
{
    (void)state;
    const char *body = get("/v1/jobs/7", 200);
    body_has(body, "\"cluster\":\"big\",\"id\":\"7\"");
    body_has(body, "\"user\":\"ann\"");
    body_has(body, "\"nodes\":\"n[1-2]\"");
    body_has(body, "\"servers\":{");
    body_has(body, "scratch-OST0001");
    body_has(body, "\"jobsdb_concurrent_jobs\":3");
    body_has(body, "{\"name\":\"load\",\"unit\":\"\",\"nodes\":2,\"avg\":3,"
                   "\"min\":2,\"max\":4,\"median\":3,");
    body_has(body, "\"hosts\":2,\"observed\":2");
}

static void what_was_not_seen_is_null_and_named(void **state)
{
    (void)state;
    const char *body = get("/v1/jobs/7?cluster=big", 200);
    body_has(body, "\"health\":null");
    body_has(body, "{\"part\":\"health\",\"reason\":null}");
    body_has(body, "\"weather\":null");
    body_has(body,
             "{\"part\":\"weather\",\"reason\":\"no log names its file system\"}");
    body_has(body, "\"facts\":null");
}

static void of_a_job_that_runs_the_record_is_known(void **state)
{
    (void)state;
    const char *body = get("/v1/jobs/9", 200);
    body_has(body, "\"end\":null");
    body_has(body, "{\"part\":\"servers\",\"reason\":\"nothing is");
    body_has(body, "\"sentence\":\"Only the batch system's record is known of it.\"");
    body_has(body, "\"nodes\":null");
}

static void a_job_that_is_not_known_is_404(void **state)
{
    (void)state;
    body_has(get("/v1/jobs/4711", 404), "nothing is known of a job 4711");
    (void)get("/v1/jobs/7?cluster=small", 404);
}

static void other_parameters_are_refused(void **state)
{
    (void)state;
    (void)get("/v1/jobs/7?user=ann", 400);
    (void)get("/v1/jobs/7?cluster=big&cluster=big", 400);
    (void)get("/v1/jobs/7?cluster=%ff", 400);
}

int main(void)
{
#define TEST(name) cmocka_unit_test(name)
    const struct CMUnitTest tests[] = {
        TEST(a_job_has_all_that_is_known_of_it),
        TEST(what_was_not_seen_is_null_and_named),
        TEST(of_a_job_that_runs_the_record_is_known),
        TEST(a_job_that_is_not_known_is_404),
        TEST(other_parameters_are_refused),
    };
#undef TEST
    return cmocka_run_group_tests(tests, setup, teardown);
}
