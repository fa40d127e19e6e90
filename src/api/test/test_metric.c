/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric - the routes of the metric store, asked over a socket.
 *
 * Times count from N, a whole minute; the step is 60 s.
 */
#include "api/api.h"
#include "base/clock.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"
#include "base/table/table.h"
#include "base/test/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define N INT64_C(1700000040)
#define MINUTE INT64_C(60)

struct house {
    char dir[64], socket[96], url[128];
    struct metric_store *store;
    struct api *api;
    struct net_opts net_opts;
    struct net_server *server;
    struct net_client *client;
    struct net_response response;
};

static struct house house;

static const struct metric *declare(const char *name, enum aggregation how)
{
    struct metric m = { .name = span_of(name),
                        .step_ns = MINUTE * NS_PER_S,
                        .aggregation = how };
    const struct metric *ret = NULL;
    assert_int_equal(metric_declare(metric_store_metrics(house.store), &m, &ret), 0);
    return ret;
}

static void put(const char *path, const char *metric, int64_t t_s, double value)
{
    struct level_series *series = NULL;
    struct sample_counts taken = { 0 };
    const struct metric *m =
        metric_find(metric_store_metrics(house.store), span_of(metric));
    assert_int_equal(metric_store_series(house.store, span_of(path), m, &series), 0);
    struct sample point = { series, t_s * NS_PER_S, value };
    struct metric_batch batch = { series->level->shard, &point, 1, METRIC_STORED };
    assert_int_equal(metric_store_put(house.store, &batch, &taken), 0);
    assert_int_equal(taken.accepted, 1);
}

/* What the table of the peer's captured responses was written with, and more. */
static void put_samples(void)
{
    declare("cpu_load", AGGREGATE_SUM);
    declare("cpu_user", AGGREGATE_SUM);
    declare("mean", AGGREGATE_AVG);
    declare("none", AGGREGATE_NONE);
    declare("long", AGGREGATE_SUM);
    put("c/h1", "cpu_load", N + 7, 1.23456);
    put("c/h1", "cpu_load", N + 67, 2);
    put("c/h1", "cpu_load", N + 187, 4);
    put("c/h1", "cpu_load", N + 68, 2.5);
    put("c/h2/hwthread:0", "cpu_user", N, 1);
    put("c/h2/hwthread:0", "cpu_user", N + 60, 2);
    put("c/h2/hwthread:1", "cpu_user", N, 10);
    put("c/h3/hwthread:0", "cpu_user", N, 1);
    put("c/h3/hwthread:1", "cpu_user", N + 1, 2);
    for (int i = 0; i < 3; i++) {
        if (i != 1)
            put("c/h4/hwthread:0", "cpu_user", N + i * MINUTE, 1);
        put("c/h4/hwthread:1", "cpu_user", N + i * MINUTE, 2);
        put("c/h4/hwthread:0", "mean", N + i * MINUTE, i);
        put("c/h4/hwthread:1", "mean", N + i * MINUTE, 10);
    }
    put("c/h6/accelerator:00:49:00.0/x:9", "cpu_user", N, 5);
    put("c/h4/hwthread:0", "none", N, 5);
    put("c/h4/hwthread:1", "none", N, 5);
    for (int i = 0; i < 2000; i++)
        put("c/h5", "long", N + i * MINUTE, (i * 37) % 101 + i / 100.0);
}

static void open_house(enum metric_strictness strictness)
{
    struct house *h = &house;
    struct err err = { 0 };
    *h = (struct house){ 0 };
    (void)snprintf(h->dir, sizeof h->dir, "/tmp/baro-api-XXXXXX");
    assert_non_null(mkdtemp(h->dir));
    (void)snprintf(h->socket, sizeof h->socket, "%.40s/barod.sock", h->dir);
    (void)snprintf(h->url, sizeof h->url, "unix:%.80s", h->socket);
    const struct metric_store_options store = { .shard_count = 3 };
    if (metric_store_open(&store, &h->store, &err) < 0)
        fail_msg("%s", err.text);
    const struct api_opts opts = { .store = h->store, .strictness = strictness };
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
    put_samples();
}

static int setup(void **state)
{
    (void)state;
    open_house(METRIC_TOLERANT);
    return 0;
}

static int setup_strict(void **state)
{
    (void)state;
    open_house(METRIC_STRICT);
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
    metric_store_close(h->store);
    (void)snprintf(command, sizeof command, "rm -rf '%.40s'", h->dir);
    return system(command);
}

static const char *post(const char *path, const char *body, unsigned want_status)
{
    struct err err = { 0 };
    if (net_client_post(house.client, path, "application/json", NULL, span_of(body),
                        &house.response, &err) < 0)
        fail_msg("%s: %s", path, err.text);
    if (house.response.status != want_status)
        fail_msg("%s: %u %s", path, house.response.status,
                 strbuf_text(&house.response.body));
    return strbuf_text(&house.response.body);
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

/* A GET with a body, as the peer's clients send it: ours has no such thing. */
static const char *ask_with_get(const char *path, const char *body)
{
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%.90s", house.socket);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_true(dprintf(fd,
                        "GET %s HTTP/1.0\r\nHost: localhost\r\n"
                        "Content-Length: %zu\r\n\r\n%s",
                        path, strlen(body), body) > 0);
    strbuf_clear(&house.response.body);
    for (ssize_t got = 1; got > 0;) {
        assert_int_equal(strbuf_reserve(&house.response.body, 65536), 0);
        got = read(fd, house.response.body.data + house.response.body.size, 65535);
        assert_true(got >= 0);
        house.response.body.size += (size_t)got;
        house.response.body.data[house.response.body.size] = '\0';
    }
    const char *text = strbuf_text(&house.response.body);
    if (!span_starts(span_of(text), "HTTP/1.1 200 "))
        fail_msg("%s: %s", path, text);
    return strstr(text, "\r\n\r\n") + 4;
}

#define RANGE "\"cluster\":\"c\",\"from\":1699999440,\"to\":1700000640"
#define NEAR "\"cluster\":\"c\",\"from\":1699999980,\"to\":1700000640"
#define ASK(range, query) "{" range ",\"queries\":[{" query "}]}"
#define UNPADDED ",\"with-padding\":false"
#define H1 "\"metric\":\"cpu_load\",\"host\":\"h1\""
#define USER(host) "\"metric\":\"cpu_user\",\"host\":\"" host "\""
#define RESULT(items) "{\"results\":[" items "]}\n"
#define ERROR(text)                                                         \
    RESULT("[{\"error\":\"" text "\",\"from\":0,\"to\":0,\"resolution\":0," \
           "\"avg\":0.00,\"min\":0.00,\"max\":0.00}]")
#define TAIL(from, to, avg, min, max)                                   \
    "\"from\":" #from ",\"to\":" #to ",\"resolution\":60,\"avg\":" #avg \
    ",\"min\":" #min ",\"max\":" #max "}"
#define QUERY(host)                                                               \
    "{\"metric\":\"cpu_load\",\"host\":\"" host "\",\"resolution\":0,\"aggreg\":" \
    "false}"

/* clang-format off */
static const struct {
    const char *name, *body, *want;
} query_cases[] = {
    { "padded to the beginning", ASK(RANGE, H1),
      RESULT("[{\"data\":[null,null,null,null,null,null,null,null,null,null,"
             "1.235,2.500,null,4.000]," TAIL(1700000047, 1700000287, 2.58, 1.23, 4.00) "]") },
    { "not padded", ASK(RANGE UNPADDED, H1),
      RESULT("[{\"data\":[1.235,2.500,null,4.000],"
             TAIL(1700000047, 1700000287, 2.58, 1.23, 4.00) "]") },
    { "without data", ASK(RANGE ",\"with-data\":false", H1),
      RESULT("[{" TAIL(1700000047, 1700000287, 2.58, 1.23, 4.00) "]") },
    { "without statistics, scaled",
      ASK(RANGE UNPADDED ",\"with-stats\":false", H1 ",\"scale-by\":2"),
      RESULT("[{\"data\":[2.469,5.000,null,8.000],"
             TAIL(1700000047, 1700000287, 0.00, 0.00, 0.00) "]") },
    { "from within",
      ASK("\"cluster\":\"c\",\"from\":1700000110,\"to\":1700000200", H1),
      RESULT("[{\"data\":[2.500,null],"
             TAIL(1700000110, 1700000230, 2.50, 2.50, 2.50) "]") },
    { "behind the data",
      ASK("\"cluster\":\"c\",\"from\":1700010000,\"to\":1700010600", H1),
      RESULT("[{" TAIL(1700010000, 1700010000, null, null, null) "]") },
    { "behind the data, without data",
      ASK("\"cluster\":\"c\",\"from\":1700010000,\"to\":1700010600,\"with-data\":false", H1),
      RESULT("[{" TAIL(1700010000, 1700010000, null, null, null) "]") },
    { "an unknown metric", ASK(RANGE, "\"metric\":\"nope\""),
      ERROR("[METRICSTORE]\\u003e unknown metric: nope") },
    { "an unknown host", ASK(RANGE, "\"metric\":\"cpu_load\",\"host\":\"zz\""),
      RESULT("[]") },
    { "no multiple of the step", ASK(RANGE, H1 ",\"resolution\":61"),
      ERROR("new sampling frequency (61) must be a multiple of old frequency (60)") },
    { "too few points to be resampled", ASK(RANGE UNPADDED, H1 ",\"resolution\":120"),
      RESULT("[{\"data\":[1.235,2.500,null,4.000],"
             TAIL(1700000047, 1700000287, 2.58, 1.23, 4.00) "]") },
    { "an end before the beginning",
      ASK("\"cluster\":\"c\",\"from\":2,\"to\":1", H1),
      ERROR("[METRICSTORE]\\u003e invalid time range") },
    { "each of the type's ids",
      ASK(NEAR UNPADDED,
          USER("h2") ",\"type\":\"hwthread\",\"type-ids\":[\"1\",\"7\",\"0\"]"),
      RESULT("[{\"data\":[10.000]," TAIL(1700000040, 1700000100, 10.00, 10.00, 10.00)
             ",{\"data\":[1.000,2.000]," TAIL(1700000040, 1700000160, 1.50, 1.00, 2.00) "]") },
    { "a subtype, an id with colons",
      ASK(NEAR UNPADDED,
          USER("h6") ",\"type\":\"accelerator\",\"type-ids\":[\"00:49:00.0\"],"
          "\"subtype\":\"x\",\"subtype-ids\":[\"9\"]"),
      RESULT("[{\"data\":[5.000]," TAIL(1700000040, 1700000100, 5.00, 5.00, 5.00) "]") },
    { "a group averaged",
      ASK(NEAR UNPADDED, "\"metric\":\"mean\",\"host\":\"h4\",\"type\":\"hwthread\","
          "\"type-ids\":[\"0\",\"1\"],\"aggreg\":true"),
      RESULT("[{\"data\":[5.000,5.500,6.000],"
             TAIL(1700000040, 1700000220, 5.50, 5.00, 6.00) "]") },
    { "a type without ids, together",
      ASK(NEAR, "\"metric\":\"mean\",\"host\":\"h4\",\"type\":\"hwthread\",\"aggreg\":true"),
      RESULT("[]") },
    { "no aggregation", ASK(NEAR, "\"metric\":\"none\",\"host\":\"h4\""),
      ERROR("[METRICSTORE]\\u003e invalid aggregation") },
    { "every host",
      "{\"cluster\":\"c\",\"from\":1700000040,\"to\":1700000100,"
      "\"for-all-nodes\":[\"cpu_load\"],\"with-data\":false,\"unknown\":[{\"a\":[1]}]}",
      "{\"queries\":[" QUERY("h1") "," QUERY("h2") "," QUERY("h3") "," QUERY("h4") ","
      QUERY("h5") "," QUERY("h6") "],\"results\":[[{"
      TAIL(1700000047, 1700000107, 1.23, 1.23, 1.23) "],[],[],[],[],[]]}\n" },
    { "nothing", "{}", RESULT("") },
};
/* clang-format on */

static void check_cases(const char *path)
{
    for (size_t i = 0; i < COUNT_OF(query_cases); i++) {
        const char *got = post(path, query_cases[i].body, 200);
        if (strcmp(got, query_cases[i].want) != 0)
            fail_msg("%s:\n got %swant %s", query_cases[i].name, got,
                     query_cases[i].want);
    }
}

static void query_answers_as_the_peer_does(void **state)
{
    (void)state;
    check_cases("/api/query/");
    check_cases("/api/query");
}

/* What the peer has wrong, or less well, is as there in strict mode only. */
static const struct {
    const char *name, *body, *strict, *tolerant;
} defect_cases[] = {
    /* clang-format off */
    { "children that end apart", ASK(NEAR UNPADDED, USER("h2")),
      ERROR("[METRICSTORE]\\u003e data from lower granularities does not align "
            "(missing data after the end of the buffers)"),
      RESULT("[{\"data\":[11.000,2.000],"
             TAIL(1700000040, 1700000160, 6.50, 2.00, 11.00) "]") },
    { "a child without a sample in the middle", ASK(NEAR UNPADDED, USER("h4")),
      RESULT("[{\"data\":[3.000,null,3.000],"
             TAIL(1700000040, 1700000220, 3.00, 3.00, 3.00) "]"),
      RESULT("[{\"data\":[3.000,2.000,3.000],"
             TAIL(1700000040, 1700000220, 2.67, 2.00, 3.00) "]") },
    /* clang-format on */
};

static void check_defects(enum metric_strictness strictness)
{
    for (size_t i = 0; i < COUNT_OF(defect_cases); i++) {
        const char *want = strictness == METRIC_STRICT ? defect_cases[i].strict
                                                       : defect_cases[i].tolerant;
        const char *got = ask_with_get("/api/query", defect_cases[i].body);
        if (strcmp(got, want) != 0)
            fail_msg("%s:\n got %swant %s", defect_cases[i].name, got, want);
    }
}

static void children_need_not_align(void **state)
{
    (void)state;
    check_defects(METRIC_TOLERANT);
}

static void in_strict_mode_they_must(void **state)
{
    (void)state;
    check_defects(METRIC_STRICT);
    (void)post("/api/query", "{}", 405);
}

/* Which child comes first is not said, nor by the peer: the data are. */
static void children_a_second_apart_are_one_slot(void **state)
{
    (void)state;
    static const char body[] = ASK(NEAR, USER("h3"));
    const char *got = ask_with_get("/api/query", body);
    assert_non_null(strstr(got, "[[{\"data\":[null,3.000],"));
}

static void what_is_no_request_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *body, *words;
    } cases[] = {
        { "", "" },
        { "[]", "an object is wanted" },
        { "{\"from\":1.5}", "'from' is not an integer" },
        { "{\"cluster\":7}", "'cluster' is not a string" },
        { "{\"queries\":{}}", "'queries' is not a list of objects" },
        { "{\"queries\":[7]}", "'queries' is not a list of objects" },
        { "{\"queries\":[{\"aggreg\":\"yes\"}]}", "'aggreg' is not true or false" },
        { "{\"queries\":[{\"type-ids\":[1]}]}", "'type-ids' is not a list" },
        { "{\"with-data\":0}", "'with-data' is not true or false" },
        { "{\"from\":1", "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *got = post("/api/query", cases[i].body, 400);
        if (!strstr(got, "{\"status\":\"Bad Request\",\"error\":\"") ||
            !strstr(got, cases[i].words))
            fail_msg("%s: %s", cases[i].body, got);
    }
}

static int ignore(void *arg, enum json_event event, struct span text, unsigned depth)
{
    (void)arg, (void)event, (void)text, (void)depth;
    return 0;
}

static void assert_json(const char *text)
{
    struct err err = { 0 };
    if (json_read(span_of(text), ignore, NULL, &err) < 0)
        fail_msg("%s: %s", err.text, text);
}

static void debug_is_json(void **state)
{
    (void)state;
    static const struct {
        const char *selector, *want;
    } cases[] = {
        { "c:h6", "{\"data\":{\"accelerator00:49:00.0\":{\"x9\":{\"cpu_user\":["
                  "{\"start\":1700000040,\"len\":1,\"end\":1700000100}]}}}}\n" },
        { "c:h6:accelerator00:49:00.0:x9",
          "{\"data\":{\"cpu_user\":["
          "{\"start\":1700000040,\"len\":1,\"end\":1700000100}]}}\n" },
        { "", "{\"data\":{\"c\":{\"h1\":{\"cpu_load\":[" },
        { "c", "{\"data\":{\"h1\":{\"cpu_load\":[" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "/api/debug/?selector=%s", cases[i].selector);
        const char *got = get(path, 200);
        assert_json(got);
        if (!span_starts(span_of(got), cases[i].want))
            fail_msg("%s: %s", path, got);
    }
    assert_string_equal(
        get("/api/debug?selector=c:nonode", 400),
        "{\"status\":\"Bad Request\",\"error\":\"[METRICSTORE]\\u003e not "
        "found: []string{\\\"c\\\", \\\"nonode\\\"}\"}\n");
}

static void health_is_that_of_the_newest_samples(void **state)
{
    (void)state;
    int64_t now_s = clock_now_ns() / NS_PER_S;
    put("c/new", "cpu_load", now_s - 60, 1);
    put("c/new", "mean", now_s - 3600, 1);
    assert_string_equal(
        ask_with_get("/api/healthcheck",
                     "{\"cluster\":\"c\",\"nodes\":[\"zz\",\"new\",\"h1\",\"new\"],"
                     "\"metric-names\":[\"cpu_load\",\"mean\"]}"),
        "{\"h1\":{\"State\":\"failed\",\"HealthMetrics\":\"{\\\"degraded\\\":["
        "\\\"cpu_load\\\"],\\\"missing\\\":[\\\"mean\\\"]}\"},"
        "\"new\":{\"State\":\"partial\",\"HealthMetrics\":\"{\\\"degraded\\\":["
        "\\\"mean\\\"],\\\"missing\\\":[]}\"},"
        "\"zz\":{\"State\":\"failed\",\"HealthMetrics\":\"\"}}\n");
    assert_non_null(strstr(post("/api/healthcheck", "{\"host\":\"h1\"}", 400),
                           "unknown field \\\"host\\\""));
}

static void freeing_wants_a_time_and_selectors(void **state)
{
    (void)state;
    assert_string_equal(post("/api/free/", "[[\"c\",\"h1\"]]", 400),
                        "{\"status\":\"Bad Request\",\"error\":\"'to' is a required "
                        "query parameter\"}\n");
    (void)post("/api/free?to=tomorrow", "[]", 500);
    (void)post("/api/free?to=1", "{}", 400);
    (void)post("/api/free?to=1", "[\"c\"]", 400);
    assert_string_equal(post("/api/free?to=1", "[[\"c\",\"h1\"],[\"no\"]]", 200),
                        "buffers freed: 0\n");
    /* Only the selector's own; what is not there needs none. */
    assert_string_equal(post("/api/free?to=1700060000", "[[\"c\",\"h1\"]]", 200),
                        "buffers freed: 0\n");
    assert_string_equal(post("/api/free?to=1700060000", "[[\"c\",\"h5\",\"x\"]]", 200),
                        "buffers freed: 0\n");
    /* Of 2000 samples those in blocks that end before. */
    assert_string_equal(post("/api/free?to=1700060000", "[[\"c\",\"h5\"]]", 200),
                        "buffers freed: 3\n");
}

#define V1 "/v1/query?from=@1699999980&to=@1700000640&"

static void v1_answers_by_pattern(void **state)
{
    (void)state;
    static const struct {
        const char *path, *want;
    } cases[] = {
        { V1 "component=c/h1&metric=cpu_load",
          "{\"results\":[\n{\"component\":\"c/"
          "h1\",\"metric\":\"cpu_load\",\"unit\":\"\","
          "\"from\":\"2023-11-14T22:14:07Z\",\"step\":60,"
          "\"values\":[1.23456,2.5,null,4],"
          "\"contributors\":[1,1],\"sources\":[\"memory\"]}]}\n" },
        { V1 "component=c/h4/hwthread:*&metric=mean&statistics=only",
          "{\"results\":[\n{\"component\":\"c/h4/hwthread:0\",\"metric\":\"mean\","
          "\"unit\":\"\",\"from\":\"2023-11-14T22:14:00Z\",\"step\":60,\"count\":3,"
          "\"avg\":1,\"min\":0,\"max\":2,\"sum\":3,"
          "\"contributors\":[1,1],\"sources\":[\"memory\"]},\n"
          "{\"component\":\"c/h4/hwthread:1\",\"metric\":\"mean\","
          "\"unit\":\"\",\"from\":\"2023-11-14T22:14:00Z\",\"step\":60,\"count\":3,"
          "\"avg\":10,\"min\":10,\"max\":10,\"sum\":30,"
          "\"contributors\":[1,1],\"sources\":[\"memory\"]}]}\n" },
        { V1 "component=c/h4&metric=cpu_user,mea*&format=csv",
          "component,metric,time,value\n"
          "c/h4,cpu_user,2023-11-14T22:14:00Z,3\n"
          "c/h4,cpu_user,2023-11-14T22:15:00Z,2\n"
          "c/h4,cpu_user,2023-11-14T22:16:00Z,3\n"
          "c/h4,mean,2023-11-14T22:14:00Z,5\n"
          "c/h4,mean,2023-11-14T22:15:00Z,5.5\n"
          "c/h4,mean,2023-11-14T22:16:00Z,6\n" },
        { V1 "metric=cpu_user&top=2&by=max&format=csv",
          "component,metric,unit,count,avg,min,max,sum\n"
          "c/h2,cpu_user,,2,6.5,2,11,13\n"
          "c/h6,cpu_user,,1,5,5,5,5\n" },
        { V1 "component=c&metric=cpu_user&statistics=only&format=csv",
          "component,metric,unit,count,avg,min,max,sum\n"
          "c,cpu_user,,3,9.666666666666666,3,22,29\n" },
        { V1 "component=c/h*&metric=cpu_user&aggregate=avg&step=2m&format=csv",
          "component,metric,time,value\n"
          "c/h*,cpu_user,2023-11-14T22:14:00Z,2.571428571428571\n"
          "c/h*,cpu_user,2023-11-14T22:16:00Z,1.5\n" },
        { V1 "component=c/h[2,9]&metric=cpu_user&statistics=only&format=csv",
          "component,metric,unit,count,avg,min,max,sum\n"
          "c/h2,cpu_user,,2,6.5,2,11,13\n"
          "# c/h[2,9]: there is no host h9; there are h[1-6]\n" },
        { "/v1/series?component=c/h4/*&metric=mean&format=csv",
          "component,metric,step\nc/h4/hwthread:0,mean,60\nc/h4/hwthread:1,mean,60\n" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *got = get(cases[i].path, 200);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s:\n got %swant %s", cases[i].path, got, cases[i].want);
    }
    assert_non_null(strstr(get(V1 "component=c/h9&metric=cpu_user", 404),
                           "component c/h9: there is no host h9; there are h[1-6]"));
    assert_non_null(strstr(get("/v1/series?metric=nope", 404), "there is no nope"));
}

/* Of each form: what could not be answered, beside what could. */
static void v1_notes_what_has_no_answer(void **state)
{
    (void)state;
    static const char *const paths[] = {
        V1 "component=c/h4&metric=none,mean&format=table",
        V1 "component=c/h4&metric=none,mean&format=csv",
    };
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        const char *got = get(paths[i], 200);
        if (!strstr(got, "c/h4 none: ") || !strstr(got, "mean"))
            fail_msg("%s: %s", paths[i], got);
    }
    assert_non_null(strstr(get(paths[1], 200), "\n# c/h4 none: "));
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    table_init(&table);
    if (table_from_json(span_of(get(paths[0], 200)), &table, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(table.row_count, 3);
    assert_int_equal(table.note_count, 1);
    assert_true(strncmp(table.notes[0], "c/h4 none: ", 11) == 0);
}

static void v1_says_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *path, *words;
        unsigned status;
    } cases[] = {
        { "/v1/query", "metric", 400 },
        { "/v1/query?metric=cpu_load&colour=red", "colour", 400 },
        { "/v1/query?metric=cpu_load&step=1", "step", 400 },
        { "/v1/query?metric=cpu_load&from=now&to=-1h", "from", 400 },
        { "/v1/query?metric=cpu_load&top=-1", "top", 400 },
        { "/v1/query?metric=zz*", "zz*", 404 },
        { "/v1/series?limit=x", "limit", 400 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (!strstr(get(cases[i].path, cases[i].status), cases[i].words))
            fail_msg("%s: %s", cases[i].path, strbuf_text(&house.response.body));
}

static void tables_are_tables(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t rows, columns;
    } cases[] = {
        { "/v1/metrics", 5, 5 },
        { "/v1/series", 13, 3 },
        { "/v1/series?limit=2", 2, 3 },
        { V1 "component=c/h1&metric=cpu_load&format=table", 3, 4 },
        { V1 "metric=*&statistics=only&format=table", 7, 8 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(table_done) struct table table;
        struct err err = { 0 };
        table_init(&table);
        const char *got = get(cases[i].path, 200);
        if (table_from_json(span_of(got), &table, &err) < 0)
            fail_msg("%s: %s: %s", cases[i].path, err.text, got);
        if (table.row_count != cases[i].rows || table.column_count != cases[i].columns)
            fail_msg("%s: %zu rows of %zu: %s", cases[i].path, table.row_count,
                     table.column_count, got);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define STRICT(name) cmocka_unit_test_setup_teardown(name, setup_strict, teardown)
    const struct CMUnitTest tests[] = {
        TEST(query_answers_as_the_peer_does),
        TEST(children_need_not_align),
        STRICT(in_strict_mode_they_must),
        TEST(children_a_second_apart_are_one_slot),
        STRICT(children_a_second_apart_are_one_slot),
        TEST(what_is_no_request_is_said),
        TEST(debug_is_json),
        TEST(health_is_that_of_the_newest_samples),
        TEST(freeing_wants_a_time_and_selectors),
        TEST(v1_answers_by_pattern),
        TEST(v1_notes_what_has_no_answer),
        TEST(v1_says_what_is_wrong),
        TEST(tables_are_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
