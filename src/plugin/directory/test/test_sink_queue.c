/* SPDX-License-Identifier: Apache-2.0 */
/* test_sink_queue - a result's calls, one after another; this program is the process.
 */
#include "plugin/directory/sink_queue.h"

#include "base/span.h"
#include "base/test/testing.h"

#include <sys/socket.h>
#include <unistd.h>

static struct frame out;
static char reports[4096];

static void report_add(void *arg, enum log_level level, bool is_once, const char *text)
{
    size_t size = strlen(reports);
    (void)arg;
    (void)level;
    (void)snprintf(reports + size, sizeof reports - size, "%s%s\n",
                   is_once ? "once: " : "", text);
}

static const struct plugin_report report = { report_add, NULL };

struct fixture {
    int fd; /* the process's end */
    struct plugin_host *host;
    struct sink_queue queue;
    struct bundle bundle;
};

static void say(struct fixture *f)
{
    assert_int_equal(send(f->fd, out.data, out.size, 0), out.size);
    out.size = 0;
    host_receive(f->host);
}

static void put_done(uint16_t plugin, unsigned function, uint64_t epoch)
{
    size_t begin = frame_begin(&out, FRAME_DONE, plugin);
    frame_put_u8(&out, (uint8_t)function);
    frame_put_u8(&out, FRAME_FINE);
    frame_put_u64(&out, epoch);
    for (int i = 0; i < 3; i++)
        frame_put_u64(&out, 1);
    frame_put_u32(&out, 0);
    frame_put_text(&out, SPAN(""));
    assert_true(frame_end(&out, begin));
}

/* The call of which plugin has come?  -1: none has. */
static int called(struct fixture *f, uint64_t *ret_epoch, unsigned *ret_inputs)
{
    static uint8_t data[FRAME_BYTES_MAX];
    for (;;) {
        ssize_t n = recv(f->fd, data, sizeof data, MSG_DONTWAIT);
        if (n <= 0)
            return -1;
        struct frame_reader reader = { data, data + n, false };
        struct frame_item item;
        while (frame_next(&reader, &item)) {
            if (item.type != FRAME_CALL)
                continue;
            assert_int_equal(frame_get_u8(&item.payload), PLUGIN_SINK);
            (void)frame_get_u8(&item.payload);
            *ret_epoch = frame_get_u64(&item.payload);
            (void)frame_get_u64(&item.payload);
            *ret_inputs = frame_get_u16(&item.payload);
            return item.plugin;
        }
    }
}

static void end_call(struct fixture *f, uint16_t plugin, uint64_t epoch)
{
    put_done(plugin, PLUGIN_SINK, epoch);
    size_t begin = frame_begin(&out, FRAME_END, 0);
    frame_put_u64(&out, epoch);
    assert_true(frame_end(&out, begin));
    say(f);
}

static void put_manifest(uint16_t plugin, const char *name, uint32_t period)
{
    struct plugin_manifest m = { .version = "1",
                                 .period = period,
                                 .functions = 1U << PLUGIN_SINK };
    (void)snprintf(m.name, sizeof m.name, "%s", name);
    size_t begin = frame_begin(&out, FRAME_MANIFEST, plugin);
    plugin_manifest_write(&m, &out);
    assert_true(frame_end(&out, begin));
    put_done(plugin, PLUGIN_FUNCTION_COUNT, 0);
}

static void begin_load(struct fixture *f, const char *file)
{
    struct err err = { 0 };
    assert_int_equal(host_load(f->host, file, SPAN("x"), &err), 0);
}

static void set_up(struct fixture *f)
{
    struct host_opts opts = host_opts_default;
    const struct reduce_input input = { .value = 7 };
    int ends[2];
    *f = (struct fixture){ 0 };
    reports[0] = '\0';
    out.size = 0;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    f->fd = ends[1];
    assert_int_equal(host_new(&opts, &f->host), 0);
    host_adopt(f->host, ends[0]);
    size_t begin = frame_begin(&out, FRAME_HELLO, 0);
    frame_put_u16(&out, FRAME_PROTOCOL);
    frame_put_u32(&out, 0);
    assert_true(frame_end(&out, begin));
    say(f);
    f->queue.host = f->host;
    f->queue.function = PLUGIN_SINK;
    f->queue.report = &report;
    f->queue.memory_bytes = (uint32_t)1 << 20;
    assert_int_equal(bundle_begin(&f->bundle, 0), 0);
    assert_int_equal(bundle_put(&f->bundle, SPAN("fds.open"), REDUCE_SUM, &input), 0);
}

static void tear_down(struct fixture *f)
{
    sink_queue_clear(&f->queue);
    bundle_done(&f->bundle);
    host_free(f->host);
    (void)close(f->fd);
}

static void load(struct fixture *f, const char *file, uint16_t plugin, const char *name,
                 uint32_t period)
{
    begin_load(f, file);
    put_manifest(plugin, name, period);
    say(f);
    assert_false(host_is_busy(f->host));
}

static void two_files_of_one_name_are_called_one_after_another(void **state)
{
    struct fixture f;
    uint64_t epoch = 0;
    unsigned inputs = 0;
    (void)state;
    set_up(&f);
    load(&f, "a.lua", 0, "fds", 1);
    load(&f, "b.lua", 1, "fds", 1);
    load(&f, "c.lua", 2, "other", 2);
    sink_queue_fill(&f.queue, 3, 5, &f.bundle);
    assert_int_equal(f.queue.count, 2);
    for (int i = 0; i < 2; i++) {
        assert_true(sink_queue_call(&f.queue));
        assert_true(host_is_busy(f.host));
        assert_int_equal(called(&f, &epoch, &inputs), i);
        assert_int_equal(epoch, 3);
        assert_int_equal(inputs, 1);
        assert_int_equal(called(&f, &epoch, &inputs), -1);
        end_call(&f, (uint16_t)i, 3);
        assert_false(host_is_busy(f.host));
    }
    assert_false(sink_queue_call(&f.queue));
    assert_true(sink_queue_is_empty(&f.queue));
    assert_int_equal(f.queue.counts.not_called, 0);
    tear_down(&f);
}

static void one_that_is_loaded_again_is_called_then(void **state)
{
    struct fixture f;
    uint64_t epoch = 0;
    unsigned inputs = 0;
    (void)state;
    set_up(&f);
    load(&f, "a.lua", 0, "fds", 1);
    begin_load(&f, "a.lua");
    sink_queue_fill(&f.queue, 1, 5, &f.bundle);
    assert_int_equal(f.queue.count, 1);
    assert_true(host_is_busy(f.host));
    put_manifest(0, "fds", 1);
    say(&f);
    assert_true(sink_queue_call(&f.queue));
    assert_int_equal(called(&f, &epoch, &inputs), 0);
    end_call(&f, 0, 1);
    begin_load(&f, "a.lua"); /* as another one, whose numbers those are not */
    sink_queue_fill(&f.queue, 2, 5, &f.bundle);
    put_manifest(0, "another", 1);
    say(&f);
    assert_false(sink_queue_call(&f.queue));
    assert_int_equal(f.queue.counts.not_called, 1);
    tear_down(&f);
}

static void what_cannot_be_called_is_counted(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f);
    load(&f, "a.lua", 0, "fds", 1);
    load(&f, "b.lua", 1, "fds", 1);
    sink_queue_fill(&f.queue, 1, 5, &f.bundle);
    assert_true(sink_queue_call(&f.queue));
    (void)close(f.fd);
    f.fd = -1;
    host_receive(f.host); /* it has ended: that of the running call is to blame */
    struct host_plugin plugin;
    host_plugin_at(f.host, 0, &plugin);
    assert_int_equal(plugin.strikes, 1);
    host_plugin_at(f.host, 1, &plugin);
    assert_int_equal(plugin.strikes, 0);
    assert_false(sink_queue_call(&f.queue));
    assert_int_equal(f.queue.counts.not_called, 1);
    assert_non_null(strstr(reports, "once: the sink of plugin b.lua is not called"));
    sink_queue_fill(&f.queue, 2, 5, &f.bundle);
    assert_false(sink_queue_call(&f.queue));
    assert_int_equal(f.queue.counts.not_called, 3);
    assert_non_null(strstr(reports, "\nthe sink of plugin a.lua is not called"));
    tear_down(&f);
}

static void what_is_cut_is_said_and_the_rest_is_called(void **state)
{
    struct fixture f;
    char name[32];
    uint64_t epoch = 0;
    unsigned inputs = 0;
    const struct reduce_input input = { .value = 1 };
    (void)state;
    set_up(&f);
    load(&f, "a.lua", 0, "fds", 1);
    for (int i = 0; i < PLUGIN_INPUTS_MAX + 9; i++) {
        (void)snprintf(name, sizeof name, "fds.%d", i);
        assert_int_equal(bundle_put(&f.bundle, span_of(name), REDUCE_SUM, &input), 0);
    }
    sink_queue_fill(&f.queue, 1, 5, &f.bundle);
    assert_int_equal(f.queue.counts.cut, 10);
    assert_non_null(strstr(reports, "the sink of plugin a.lua has 256 of 266 numbers"));
    assert_true(sink_queue_call(&f.queue));
    assert_int_equal(called(&f, &epoch, &inputs), 0);
    assert_int_equal(inputs, PLUGIN_INPUTS_MAX);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_files_of_one_name_are_called_one_after_another),
        cmocka_unit_test(one_that_is_loaded_again_is_called_then),
        cmocka_unit_test(what_cannot_be_called_is_counted),
        cmocka_unit_test(what_is_cut_is_said_and_the_rest_is_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
