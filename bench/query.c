/* SPDX-License-Identifier: Apache-2.0 */
/* bench_query - the mix of questions to the metric store, in the process and over HTTP.
 *
 *     bench_query [HOSTS [STEPS]]      20 metrics, one sample each 10 s; default 1000
 *                                      hosts and 1440 steps, 4 hours: workload A
 *
 * Prints median and worst in milliseconds of wall time, or of CPU time, and the size of
 * the response.
 * Client and server are threads of this one process, over a unix socket.
 */
#include "api/api.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define METRICS 20
#define STEP_S 10
#define BEGIN_S INT64_C(1700000000)
#define ROUNDS_MAX 200
#define BATCH 1000

struct bench {
    unsigned hosts, steps;
    struct metric_store *store;
    const struct metric *metrics[METRICS];
    struct level_series **series; /* hosts × METRICS */
    struct net_client *client;
};

static void die(const char *what, const struct err *err)
{
    fprintf(stderr, "bench_query: %s: %s\n", what, err->text);
    _exit(EXIT_FAILED);
}

/* ---- workload A: 4 that rarely change, 6 walks of 2 decimals, 5 noises of 1 decimal,
 * 3 of integers, 2 mostly zero ---- */

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double next_value(unsigned metric, double last, uint64_t *state)
{
    uint64_t r = draw(state);
    if (metric < 4)
        return r % 100 ? last : (double)(r / 100 % 64);
    if (metric < 10)
        return (double)(llround(last * 100) + (int64_t)(r % 201) - 100) / 100;
    if (metric < 15)
        return (double)(r % 1000) / 10;
    if (metric < 18)
        return (double)(r % 10000);
    return r % 50 ? 0 : (double)(r / 50 % 1000) / 4;
}

static void make_series(struct bench *b)
{
    struct err err = { 0 };
    const struct metric_store_options options = { .shard_count = 2 };
    if (metric_store_open(&options, &b->store, &err) < 0)
        die("store", &err);
    b->series = calloc((size_t)b->hosts * METRICS, sizeof *b->series);
    for (unsigned m = 0; b->series && m < METRICS; m++) {
        char name[16];
        (void)snprintf(name, sizeof name, "metric%02u", m);
        struct metric metric = { .name = span_of(name), .step_ns = STEP_S * NS_PER_S };
        if (metric_declare(metric_store_metrics(b->store), &metric, &b->metrics[m]) < 0)
            die("declare", &err);
    }
    for (unsigned i = 0; b->series && i < b->hosts * METRICS; i++) {
        char path[32];
        int n = snprintf(path, sizeof path, "c/h%04u", i / METRICS);
        if (metric_store_series(b->store, (struct span){ path, (size_t)n },
                                b->metrics[i % METRICS], &b->series[i]) < 0)
            die("series", &err);
    }
}

static void put(struct bench *b, struct sample *points, size_t count)
{
    struct err err = { 0 };
    struct sample_counts taken;
    const struct metric_batch batch = { points[0].series->level->shard, points, count,
                                        METRIC_STORED };
    if (metric_store_put(b->store, &batch, &taken) < 0)
        die("put", &err);
}

/* Host after host: what is measured comes later. */
static void fill(struct bench *b)
{
    static struct sample points[BATCH];
    uint64_t state = 88172645463325252u;
    for (unsigned i = 0; i < b->hosts * METRICS; i++) {
        double value = 50;
        size_t count = 0;
        for (unsigned step = 0; step < b->steps; step++) {
            value = next_value(i % METRICS, value, &state);
            points[count++] =
                (struct sample){ b->series[i],
                                 (BEGIN_S + (int64_t)step * STEP_S) * NS_PER_S, value };
            if (count < BATCH && step + 1 < b->steps)
                continue;
            put(b, points, count);
            count = 0;
        }
    }
}

/* ---- questions ---- */

struct question {
    const char *name;
    unsigned hosts, metrics;
    unsigned last_s;
    unsigned rounds;
    const char *options;
};

static void write_body(const struct bench *b, const struct question *q,
                       struct strbuf *out)
{
    int64_t end_s = BEGIN_S + (int64_t)b->steps * STEP_S;
    unsigned hosts = q->hosts < b->hosts ? q->hosts : b->hosts;
    strbuf_addf(out, "{\"cluster\":\"c\",\"from\":%" PRId64 ",\"to\":%" PRId64 "%s",
                end_s - q->last_s, end_s, q->options);
    for (unsigned i = 0; i < hosts * q->metrics; i++)
        strbuf_addf(out, "%s{\"metric\":\"metric%02u\",\"host\":\"h%04u\"}",
                    i ? "," : ",\"queries\":[", i % q->metrics, i / q->metrics);
    strbuf_adds(out, "]}");
}

/* CPU time of the process: server and client. */
static int64_t process_cpu_ns(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_S +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * INT64_C(1000);
}

static int compare_ns(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void print_row(const char *name, const char *how, int64_t *ns, unsigned rounds,
                      size_t bytes)
{
    qsort(ns, rounds, sizeof *ns, compare_ns);
    printf("| %s | %s | %.2f | %.2f | %.2f |\n", name, how,
           (double)ns[rounds / 2] / 1e6, (double)ns[rounds - 1] / 1e6,
           (double)bytes / 1e6);
}

static void ask_over_http(struct bench *b, const struct question *q)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    AUTO(net_response_done) struct net_response response = { 0 };
    int64_t ns[ROUNDS_MAX], cpu_ns[ROUNDS_MAX];
    struct err err = { 0 };
    write_body(b, q, &body);
    for (unsigned i = 0; i < q->rounds; i++) {
        int64_t begin_ns = clock_monotonic_ns(), begin_cpu_ns = process_cpu_ns();
        if (net_client_post(b->client, "/api/query", "application/json", NULL,
                            strbuf_span(&body), &response, &err) < 0 ||
            response.status != 200)
            die(q->name, &err);
        ns[i] = clock_monotonic_ns() - begin_ns;
        cpu_ns[i] = process_cpu_ns() - begin_cpu_ns;
    }
    print_row(q->name, "HTTP", ns, q->rounds, response.body.size);
    print_row(q->name, "HTTP, CPU of both sides", cpu_ns, q->rounds,
              response.body.size);
}

/* The exact form: the same samples by /v1/query. */
static void ask_v1(struct bench *b, const struct question *q, const char *path)
{
    AUTO(net_response_done) struct net_response response = { 0 };
    int64_t ns[ROUNDS_MAX];
    struct err err = { 0 };
    for (unsigned i = 0; i < q->rounds; i++) {
        int64_t begin_ns = clock_monotonic_ns();
        if (net_client_get(b->client, path, &response, &err) < 0 ||
            response.status != 200)
            die(q->name, &err);
        ns[i] = clock_monotonic_ns() - begin_ns;
    }
    print_row(q->name, "HTTP", ns, q->rounds, response.body.size);
}

/* What reading alone takes, and turning it into points. */
static void read_in_process(struct bench *b, const struct question *q, unsigned want)
{
    AUTO(metric_reader_free) struct metric_reader *reader = NULL;
    int64_t ns[ROUNDS_MAX], end_s = BEGIN_S + (int64_t)b->steps * STEP_S;
    struct err err = { 0 };
    size_t points = 0;
    if (metric_reader_new(b->store, &reader) < 0)
        die("reader", &err);
    for (unsigned round = 0; round < q->rounds; round++) {
        int64_t begin_ns = clock_cpu_ns();
        unsigned inside = metric_store_enter(b->store);
        points = 0;
        for (unsigned i = 0; i < q->hosts * METRICS; i++) {
            if (i % METRICS >= q->metrics)
                continue;
            struct metric_result response;
            const struct metric_read_opts question = {
                .metric = b->metrics[i % METRICS],
                .levels = &b->series[i]->level,
                .level_count = 1,
                .from_ns = (end_s - q->last_s) * NS_PER_S,
                .to_ns = end_s * NS_PER_S,
                .want = want,
            };
            if (metric_read(reader, &question, &response, &err) < 0)
                die(q->name, &err);
            points += response.count;
        }
        metric_store_leave(b->store, inside);
        ns[round] = clock_cpu_ns() - begin_ns;
    }
    print_row(q->name, "read only, CPU", ns, q->rounds, points * sizeof(double));
}

static void run(struct bench *b)
{
    static const struct question questions[] = {
        { "1 series, 1 h", 1, 1, 3600, 200, "" },
        { "1 series, 4 h", 1, 1, 14400, 200, "" },
        { "1 host x 20 metrics, 4 h", 1, 20, 14400, 100, "" },
        { "64 hosts x 20 metrics, 4 h", 64, 20, 14400, 15, "" },
        { "1000 hosts x 1 metric, 1 h", 1000, 1, 3600, 30, "" },
        { "1000 hosts x 20 metrics, 60 s", 1000, 20, 60, 30, "" },
        { "1000 hosts, statistics only, 4 h", 1000, 1, 14400, 50,
          ",\"with-data\":false" },
    };
    printf("| question | how | median ms | worst ms | MB |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < COUNT_OF(questions); i++) {
        struct question q = questions[i];
        q.hosts = q.hosts < b->hosts ? q.hosts : b->hosts;
        ask_over_http(b, &q);
        read_in_process(b, &q,
                        q.options[0] ? METRIC_WANT_STATS
                                     : METRIC_WANT_DATA | METRIC_WANT_STATS);
    }
    static const struct question exact = {
        "70 hosts x 20 metrics, 4 h, exact", 70, 20, 14400, 15, ""
    };
    ask_v1(b, &exact,
           "/v1/query?component=c/h00[0-6][0-9]&metric=*"
           "&from=@1700000000&to=@1700014400");
}

static void serve(struct bench *b)
{
    static struct net_opts net;
    static char dir[] = "/tmp/baro-bench-XXXXXX", path[64], url[80];
    struct api *api = NULL;
    struct net_server *server = NULL;
    struct err err = { 0 };
    if (!mkdtemp(dir))
        die("mkdtemp", &err);
    (void)snprintf(path, sizeof path, "%s/sock", dir);
    (void)snprintf(url, sizeof url, "unix:%s", path);
    const struct api_opts opts = { .store = b->store };
    static const char *none[] = { "none" };
    net_opts_default(&net);
    net.listen = (struct config_list){ none, 1 };
    net.socket = path;
    const struct net_client_opts client = { .url = url };
    if (api_new(&opts, &api, &err) < 0 || net_server_new(&net, &server, &err) < 0 ||
        api_register(api, server) < 0 || net_server_start(server, &err) < 0 ||
        net_client_new(&client, &b->client, &err) < 0)
        die("server", &err);
    run(b);
    net_client_free(b->client);
    net_server_free(server);
    api_free(api);
    (void)unlink(path);
    (void)rmdir(dir);
}

int main(int argc, char **argv)
{
    struct bench b = { .hosts = 1000, .steps = 1440 };
    uint64_t hosts = b.hosts, steps = b.steps;
    if ((argc > 1 && number_parse_u64(span_of(argv[1]), &hosts) < 0) ||
        (argc > 2 && number_parse_u64(span_of(argv[2]), &steps) < 0) || hosts < 70 ||
        hosts > 10000 || steps < 400 || steps > 100000)
        return EXIT_USAGE;
    b.hosts = (unsigned)hosts;
    b.steps = (unsigned)steps;
    make_series(&b);
    fill(&b);
    serve(&b);
    metric_store_close(b.store);
    free(b.series);
    return EXIT_OK;
}
