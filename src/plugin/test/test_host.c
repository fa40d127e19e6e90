/* SPDX-License-Identifier: Apache-2.0 */
/* test_host - a host, against processes that do as they should, and that do not.
 *
 * This program is the process, too: under the names below, which are links to it.
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "plugin/plugin.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define SOCKET_FD 3

/* ---- the process ---- */

static struct frame out;

static void out_send(void)
{
    (void)send(SOCKET_FD, out.data, out.size, MSG_NOSIGNAL);
    out.size = 0;
}

static void hello(void)
{
    size_t begin = frame_begin(&out, FRAME_HELLO, 0);
    frame_put_u16(&out, FRAME_PROTOCOL);
    frame_put_u32(&out, FRAME_WALL_SECCOMP);
    (void)frame_end(&out, begin);
    out_send();
}

static void put_done_of(uint16_t plugin, unsigned function, unsigned outcome,
                        uint64_t epoch)
{
    size_t begin = frame_begin(&out, FRAME_DONE, plugin);
    frame_put_u8(&out, (uint8_t)function);
    frame_put_u8(&out, (uint8_t)outcome);
    frame_put_u64(&out, epoch);
    frame_put_u64(&out, 10);
    frame_put_u64(&out, 20);
    frame_put_u64(&out, 30);
    frame_put_u32(&out, 0);
    frame_put_text(&out, outcome == FRAME_FINE ? SPAN("") : SPAN("it failed"));
    (void)frame_end(&out, begin);
}

static void accept_load(uint16_t plugin)
{
    static struct plugin_manifest m = { .name = "x",
                                        .version = "1",
                                        .period = 1,
                                        .functions = 7,
                                        .metric_count = 1,
                                        .event_count = 1,
                                        .metrics = { { "m", "n", false } },
                                        .events = { { "e", PLUGIN_ERROR } } };
    m.name[0] = (char)('a' + plugin);
    size_t begin = frame_begin(&out, FRAME_MANIFEST, plugin);
    plugin_manifest_write(&m, &out);
    (void)frame_end(&out, begin);
    put_done_of(plugin, PLUGIN_FUNCTION_COUNT, FRAME_FINE, 0);
    out_send();
}

static void sample(uint16_t plugin, unsigned metric, double value, struct span type)
{
    size_t begin = frame_begin(&out, FRAME_SAMPLE, plugin);
    frame_put_u16(&out, (uint16_t)metric);
    frame_put_f64(&out, value);
    frame_put_text(&out, type);
    for (int i = 0; i < 3; i++)
        frame_put_text(&out, SPAN(""));
    (void)frame_end(&out, begin);
}

static void sample_of(uint16_t plugin, struct span type, struct span id)
{
    size_t begin = frame_begin(&out, FRAME_SAMPLE, plugin);
    frame_put_u16(&out, 0);
    frame_put_f64(&out, 1);
    frame_put_text(&out, type);
    frame_put_text(&out, id);
    for (int i = 0; i < 2; i++)
        frame_put_text(&out, SPAN(""));
    (void)frame_end(&out, begin);
}

static void contribution(uint16_t plugin, struct span name)
{
    size_t begin = frame_begin(&out, FRAME_CONTRIBUTE, plugin);
    frame_put_u8(&out, PLUGIN_SUM);
    frame_put_f64(&out, 1);
    frame_put_text(&out, name);
    frame_put_text(&out, SPAN(""));
    (void)frame_end(&out, begin);
}

static void misbehave(const char *how, uint16_t plugin, uint64_t epoch)
{
    if (strcmp(how, "garbage") == 0) {
        memset(out.data, 0xAA, 100);
        out.size = 100;
    } else if (strcmp(how, "dies") == 0) {
        _exit(1);
    } else if (strcmp(how, "stops") == 0) {
        (void)raise(SIGSTOP);
    } else if (strcmp(how, "sleeps") == 0) {
        (void)sleep(1000);
    } else if (strcmp(how, "metric") == 0) {
        sample(plugin, 1, 1, SPAN(""));
    } else if (strcmp(how, "nan") == 0) {
        sample(plugin, 0, (double)NAN, SPAN(""));
    } else if (strcmp(how, "control") == 0) {
        sample(plugin, 0, 1, SPAN("a\nb"));
    } else if (strcmp(how, "blank") == 0) {
        sample(plugin, 0, 1, SPAN("a b"));
    } else if (strcmp(how, "id") == 0) {
        sample_of(plugin, SPAN(""), SPAN("x"));
    } else if (strcmp(how, "name") == 0) {
        contribution(plugin, SPAN("a b"));
    } else if (strcmp(how, "other") == 0) {
        sample(63, 0, 1, SPAN(""));
    } else if (strcmp(how, "epoch") == 0) {
        put_done_of(plugin, PLUGIN_SOURCE, FRAME_FINE, epoch + 1);
    } else if (strcmp(how, "twice") == 0) {
        put_done_of(plugin, PLUGIN_SOURCE, FRAME_FINE, epoch);
        put_done_of(plugin, PLUGIN_SOURCE, FRAME_FINE, epoch);
    } else if (strcmp(how, "flood") == 0) {
        for (int i = 0; i < 5000; i++) {
            sample(plugin, 0, 1, SPAN(""));
            if (out.size > 60000)
                out_send();
        }
    } else if (strcmp(how, "mute") == 0) {
        return; /* END comes, and no DONE before it */
    } else if (strcmp(how, "fails") == 0) {
        put_done_of(plugin, PLUGIN_SOURCE, FRAME_OVER_MEMORY, epoch);
        return;
    } else if (strcmp(how, "hung") == 0) {
        size_t begin = frame_begin(&out, FRAME_HUNG, plugin);
        (void)frame_end(&out, begin);
    } else { /* "good" */
        sample(plugin, 0, (double)epoch, SPAN("socket"));
        put_done_of(plugin, PLUGIN_SOURCE, FRAME_FINE, epoch);
        return;
    }
    out_send();
}

static int process_main(const char *how)
{
    static uint8_t in[FRAME_BYTES_MAX];
    ssize_t n;
    hello();
    while ((n = recv(SOCKET_FD, in, sizeof in, 0)) > 0) {
        struct frame_reader reader = { in, in + n, false };
        struct frame_item r;
        while (frame_next(&reader, &r)) {
            if (r.type == FRAME_LOAD) {
                accept_load(r.plugin);
            } else if (r.type == FRAME_CALL) {
                (void)frame_get_u16(&r.payload);
                uint64_t epoch = frame_get_u64(&r.payload);
                misbehave(r.plugin == 0 ? how : "good", r.plugin, epoch);
            } else if (r.type == FRAME_FINISH) {
                size_t begin = frame_begin(&out, FRAME_END, 0);
                frame_put_u64(&out, frame_get_u64(&r.payload));
                (void)frame_end(&out, begin);
                out_send();
            }
        }
    }
    return 0;
}

/* ---- the tests ---- */

static char dir[] = "/tmp/baro-host.XXXXXX";
static unsigned samples, suspended, withdrawn, removed;
static double last_value;

static void on_test_sample(void *arg, const struct plugin_sample *s)
{
    (void)arg;
    samples++;
    last_value = s->value;
    assert_string_equal(s->metric->name, "m");
}

static void on_test_event(void *arg, const struct plugin_event *e)
{
    (void)arg;
    suspended += strcmp(e->name, "plugin_suspended") == 0;
    withdrawn += strcmp(e->name, "plugin_withdrawn") == 0;
    removed += strcmp(e->name, "plugin_removed") == 0;
}

static struct plugin_host *host_of(const char *how, char program[static 128])
{
    struct host_opts opts = host_opts_default;
    struct plugin_host *host = NULL;
    struct err err = { 0 };
    (void)snprintf(program, 128, "%s/%s", dir, how);
    (void)symlink("/proc/self/exe", program); /* resolved below, at the first one */
    char self[512];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = '\0';
    (void)unlink(program);
    assert_int_equal(symlink(self, program), 0);
    opts.program = program;
    opts.deadline_ns = NS_PER_S;
    opts.yields.sample = on_test_sample;
    opts.yields.event = on_test_event;
    samples = suspended = withdrawn = removed = 0;
    assert_int_equal(host_new(&opts, &host), 0);
    int rc = host_load(host, "one.lua", SPAN("x"), &err);
    if (rc < 0)
        fail_msg("%s", err.text);
    assert_int_equal(host_load(host, "two.lua", SPAN("y"), &err), 0);
    host_settle(host, 20 * NS_PER_S);
    return host;
}

static void samples_come_at_each_trigger(void **state)
{
    char program[128];
    AUTO(host_free) struct plugin_host *host = host_of("good", program);
    struct host_plugin p;
    (void)state;
    assert_int_equal(host_plugin_count(host), 2);
    assert_int_equal(host_walls(host), FRAME_WALL_SECCOMP);
    for (uint64_t epoch = 1; epoch <= 3; epoch++) {
        assert_int_equal(host_trigger(host, epoch, 1), 2);
        host_settle(host, 20 * NS_PER_S);
        assert_int_equal(samples, 2 * epoch);
        assert_true(last_value == (double)epoch);
    }
    host_plugin_at(host, 1, &p);
    assert_string_equal(p.file, "two.lua");
    assert_string_equal(p.manifest->name, "b");
    assert_int_equal(p.state, HOST_READY);
    assert_int_equal(p.calls, 3);
    assert_int_equal(host_unload(host, "two.lua"), 0);
    assert_int_equal(host_unload(host, "two.lua"), -ENOENT);
    assert_int_equal(host_trigger(host, 4, 1), 1);
    const struct plugin_call call = { .function = PLUGIN_REDUCE,
                                      .epoch = 1,
                                      .t_ns = 1 };
    assert_int_equal(host_call(host, "none", &call), -ENOENT);
}

/* One that may not be run now is no removed one: its removal comes later. */
static void a_withdrawn_plugin_is_not_a_removed_one(void **state)
{
    char program[128];
    AUTO(host_free) struct plugin_host *host = host_of("good", program);
    struct err err = { 0 };
    (void)state;
    assert_int_equal(host_withdraw(host, "none.lua"), -ENOENT);
    assert_int_equal(host_withdraw(host, "two.lua"), 0);
    assert_int_equal(host_withdraw(host, "two.lua"), 0);
    assert_int_equal(host_resume(host, "two.lua"), 0);
    assert_int_equal(withdrawn, 1);
    assert_int_equal(removed, 0);
    assert_int_equal(host_plugin_count(host), 1);
    assert_int_equal(host_trigger(host, 1, 1), 1);
    host_settle(host, 20 * NS_PER_S);
    /* It is safe again. */
    assert_int_equal(host_load(host, "two.lua", SPAN("y"), &err), 0);
    host_settle(host, 20 * NS_PER_S);
    assert_int_equal(host_trigger(host, 2, 1), 2);
    host_settle(host, 20 * NS_PER_S);
    assert_int_equal(host_withdraw(host, "two.lua"), 0);
    assert_int_equal(withdrawn, 2);
    assert_int_equal(host_unload(host, "two.lua"), 0);
    assert_int_equal(removed, 1);
    assert_int_equal(host_unload(host, "two.lua"), -ENOENT);
}

static void a_process_that_misbehaves_is_ended(void **state)
{
    static const struct {
        const char *how;
        bool is_protocol, is_blamed; /* one of two that were called is known */
    } cases[] = {
        { "garbage", true, false }, { "dies", false, false },
        { "stops", false, false },  { "sleeps", false, false },
        { "metric", true, false },  { "nan", true, false },
        { "control", true, false }, { "blank", true, false },
        { "other", true, false },   { "epoch", true, false },
        { "id", true, false },      { "name", true, false },
        { "mute", true, true },     { "twice", true, false },
        { "flood", true, false },   { "hung", false, true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char program[128];
        AUTO(host_free) struct plugin_host *host = host_of(cases[i].how, program);
        struct host_counts counts;
        struct host_plugin p;
        assert_int_equal(host_trigger(host, 1, 1), 2);
        host_settle(host, 20 * NS_PER_S);
        host_count(host, &counts);
        if (counts.kills != 1 || counts.protocol_errors != cases[i].is_protocol)
            fail_msg("%s: %d kills, %d protocol errors", cases[i].how,
                     (int)counts.kills, (int)counts.protocol_errors);
        assert_int_equal(host_pid(host), 0);
        host_plugin_at(host, 0, &p);
        if ((p.strikes == 1) != cases[i].is_blamed)
            fail_msg("%s: %u strikes", cases[i].how, p.strikes);
        if (samples > 4096)
            fail_msg("%s: %u samples", cases[i].how, samples);
        /* It starts again, after a pause. */
        int64_t next_ns = 0;
        host_check(host, &next_ns);
        assert_true(next_ns > clock_monotonic_ns());
        assert_int_equal(host_trigger(host, 2, 1), 0);
    }
}

/* The second time one plugin after another is flushed, so that it is known who runs. */
static void the_one_that_is_to_blame_is_suspended(void **state)
{
    char program[128];
    AUTO(host_free) struct plugin_host *host = host_of("dies", program);
    struct host_plugin p;
    uint64_t epoch = 1;
    (void)state;
    int64_t end_ns = clock_monotonic_ns() + 120 * NS_PER_S;
    while (suspended == 0 && clock_monotonic_ns() < end_ns) {
        (void)host_trigger(host, epoch++, 1);
        host_settle(host, 20 * NS_PER_S);
        (void)usleep(100000);
    }
    assert_int_equal(suspended, 1);
    host_plugin_at(host, 0, &p);
    assert_int_equal(p.state, HOST_SUSPENDED);
    host_plugin_at(host, 1, &p);
    assert_int_not_equal(p.state, HOST_SUSPENDED);
    samples = 0;
    while (samples == 0 && clock_monotonic_ns() < end_ns) {
        (void)host_trigger(host, epoch++, 1);
        host_settle(host, 20 * NS_PER_S);
        (void)usleep(100000);
    }
    assert_int_not_equal(samples, 0);
}

static void three_failures_in_a_row_suspend(void **state)
{
    char program[128];
    AUTO(host_free) struct plugin_host *host = host_of("fails", program);
    struct host_plugin p;
    (void)state;
    for (uint64_t epoch = 1; epoch <= 3; epoch++) {
        assert_int_equal(host_trigger(host, epoch, 1), 2);
        host_settle(host, 20 * NS_PER_S);
    }
    assert_int_equal(suspended, 1);
    host_plugin_at(host, 0, &p);
    assert_int_equal(p.state, HOST_SUSPENDED);
    assert_string_equal(p.why, "it failed");
    assert_int_equal(host_trigger(host, 4, 1), 1);
    host_settle(host, 20 * NS_PER_S);
    assert_int_equal(host_resume(host, "one.lua"), 0);
    host_settle(host, 20 * NS_PER_S);
    assert_int_equal(host_trigger(host, 5, 1), 2);
}

static void a_killed_process_costs_its_trigger(void **state)
{
    char program[128];
    AUTO(host_free) struct plugin_host *host = host_of("good", program);
    struct host_counts counts;
    (void)state;
    assert_int_equal(kill(host_pid(host), SIGKILL), 0);
    (void)usleep(50000);
    (void)host_trigger(host, 1, 1);
    host_settle(host, 20 * NS_PER_S);
    int64_t end_ns = clock_monotonic_ns() + 60 * NS_PER_S;
    for (uint64_t epoch = 2; samples == 0 && clock_monotonic_ns() < end_ns; epoch++) {
        (void)host_trigger(host, epoch, 1);
        host_settle(host, 20 * NS_PER_S);
        (void)usleep(100000);
    }
    assert_int_not_equal(samples, 0);
    host_count(host, &counts);
    assert_int_equal(counts.starts, 2);
}

/* Its program is installed after the agent has started. */
static void what_cannot_be_started_is_started_later(void **state)
{
    char program[128], self[4096];
    struct host_opts opts = host_opts_default;
    struct host_counts counts;
    struct plugin_host *host = NULL;
    struct err err = { 0 };
    (void)state;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = '\0';
    (void)snprintf(program, sizeof program, "%s/missing/", dir);
    assert_int_equal(mkdir(program, 0700), 0);
    (void)snprintf(program, sizeof program, "%s/missing/good", dir);
    opts.program = program;
    opts.yields.sample = on_test_sample;
    samples = 0;
    assert_int_equal(host_new(&opts, &host), 0);
    assert_int_equal(host_load(host, "one.lua", SPAN("x"), &err), -ENOENT);
    assert_non_null(strstr(err.text, "start"));
    /* The second one waits with it: no start for each. */
    assert_int_equal(host_load(host, "two.lua", SPAN("y"), &err), 0);
    assert_int_equal(symlink(self, program), 0);
    int64_t end_ns = clock_monotonic_ns() + 60 * NS_PER_S;
    for (uint64_t epoch = 1; samples < 2 && clock_monotonic_ns() < end_ns; epoch++) {
        (void)host_trigger(host, epoch, 1);
        host_settle(host, 20 * NS_PER_S);
        (void)usleep(20000);
    }
    assert_int_equal(samples, 2);
    host_count(host, &counts);
    assert_int_equal(counts.starts, 1);
    host_free(host);
}

static int dir_make(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_come_at_each_trigger),
        cmocka_unit_test(a_withdrawn_plugin_is_not_a_removed_one),
        cmocka_unit_test(a_process_that_misbehaves_is_ended),
        cmocka_unit_test(the_one_that_is_to_blame_is_suspended),
        cmocka_unit_test(three_failures_in_a_row_suspend),
        cmocka_unit_test(a_killed_process_costs_its_trigger),
        cmocka_unit_test(what_cannot_be_started_is_started_later),
    };
    if (argc == 3) {
        const char *slash = strrchr(argv[0], '/');
        return process_main(slash ? slash + 1 : argv[0]);
    }
    return cmocka_run_group_tests_name("host", tests, dir_make, NULL);
}
