/* SPDX-License-Identifier: Apache-2.0 */
/* test_write_responses - what senders of metrics get, each in its own server's words.
 */
#include "base/test/scratch.h"
#include "daemon/test/house.h"

#define STORE "[store]\ndirectory = none\n[metric load]\nstep = 10s\n"
#define GOOD "load,cluster=c,hostname=h value=1\n"
#define BAD "what\n"
#define HOSTLESS "load,cluster=c value=1\n"
#define OLD "load,cluster=c,hostname=h value=1 1000000000\n"

static struct house house;

static int house_make(void **state)
{
    struct err err = { 0 };
    if (scratch_make(state) < 0)
        return -1;
    house_load(&house, scratch_path("write"), STORE);
    return house_start(&house, &err);
}

static int house_remove(void **state)
{
    house_stop(&house);
    return scratch_remove(state);
}

static const struct {
    const char *name, *path, *body;
    unsigned status;
    const char *response;
} cases[] = {
    { "all is stored: ClusterCockpit", "/api/write", GOOD, 200, "" },
    { "all is stored: InfluxDB 1", "/write?db=x", GOOD, 204, "" },
    { "all is stored: InfluxDB 2", "/api/v2/write?bucket=x", GOOD, 204, "" },
    { "nothing at all", "/api/write", "", 200, "" },
    { "bad lines: ClusterCockpit", "/api/write", GOOD BAD HOSTLESS, 200,
      "{\"lines\":3,\"refused\":2,\"problems\":["
      "{\"line\":2,\"column\":5,\"reason\":\"expected a tag or a field\"},"
      "{\"line\":3,\"column\":1,\"reason\":\"no tag names the host\"}]}\n" },
    { "bad lines: InfluxDB 1", "/write?db=x", GOOD HOSTLESS BAD, 400,
      "{\"error\":\"partial write: line 2, column 1: no tag names the host dropped=2\","
      "\"problems\":[{\"line\":2,\"column\":1,\"reason\":\"no tag names the host\"},"
      "{\"line\":3,\"column\":5,\"reason\":\"expected a tag or a field\"}]}\n" },
    { "bad lines: InfluxDB 2", "/api/v2/write?bucket=x", HOSTLESS, 400,
      "{\"code\":\"invalid\","
      "\"message\":\"partial write: line 1, column 1: no tag names the host "
      "dropped=1\","
      "\"problems\":[{\"line\":1,\"column\":1,\"reason\":\"no tag names the "
      "host\"}]}\n" },
    { "older than is stored: ClusterCockpit", "/api/write", OLD GOOD, 200,
      "{\"lines\":2,\"refused\":1,\"samples_written\":1,"
      "\"samples_older_than_retention\":1,\"problems\":[]}\n" },
    { "older than is stored: InfluxDB 1", "/write?db=x&precision=s", OLD, 400,
      "{\"error\":\"partial write: points beyond retention policy dropped=1\","
      "\"samples_written\":0,\"samples_older_than_retention\":1,\"problems\":[]}\n" },
    { "older than is stored: InfluxDB 2", "/api/v2/write?bucket=x&precision=s", OLD,
      400,
      "{\"code\":\"invalid\","
      "\"message\":\"partial write: points beyond retention policy dropped=1\","
      "\"samples_written\":0,\"samples_older_than_retention\":1,\"problems\":[]}\n" },
    /* Both lines are written, the second over the first. */
    { "unknown tags", "/api/write",
      "load,cluster=c,hostname=h,x=1 value=1 1900000000\n"
      "load,cluster=c,hostname=h,x=2 value=2 1900000000\n",
      200,
      "{\"lines\":2,\"refused\":0,\"samples_written\":2,"
      "\"samples_differing_in_unknown_tags_only\":1,\"problems\":[]}\n" },
};

static void every_sender_gets_its_own_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        unsigned status =
            house_post(&house, cases[i].path, "text/plain", cases[i].body);
        const char *body = strbuf_text(&house.response.body);
        if (status != cases[i].status || strcmp(body, cases[i].response) != 0)
            fail_msg("%s: %u %s", cases[i].name, status, body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sender_gets_its_own_words),
    };
    return cmocka_run_group_tests(tests, house_make, house_remove);
}
