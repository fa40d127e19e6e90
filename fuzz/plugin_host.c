/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_plugin_host - what a host process sends: whatever it is, it reaches the
 * callbacks checked, or ends the process.
 *
 * The input is messages, each behind its length (two bytes); an empty one is a trigger.
 */
#include "fuzz/fuzz.h"
#include "plugin/plugin.h"

#include <math.h>
#include <sys/socket.h>

static void check_text(struct span s)
{
    for (size_t i = 0; i < s.size; i++)
        fuzz_check(s.data[i] >= 0x20 && s.data[i] < 0x7F);
}

static void check_when(const struct plugin_when *when)
{
    fuzz_check(plugin_manifest_check(when->plugin, NULL) == 0);
    fuzz_check(when->function < PLUGIN_FUNCTION_COUNT);
}

static void hear_sample(void *arg, const struct plugin_sample *s)
{
    (void)arg;
    check_when(&s->when);
    fuzz_check(isfinite(s->value) && s->metric->name[0]);
    check_text(s->type);
    check_text(s->id);
    check_text(s->subtype);
    check_text(s->subid);
}

static void hear_event(void *arg, const struct plugin_event *e)
{
    (void)arg;
    fuzz_check(e->name[0] && e->severity < PLUGIN_SEVERITY_COUNT);
    check_text(e->text);
}

static void hear_contribution(void *arg, const struct plugin_contribution *c)
{
    (void)arg;
    check_when(&c->when);
    fuzz_check(isfinite(c->value) && c->merge < PLUGIN_MERGE_COUNT && c->name.size);
    check_text(c->name);
    check_text(c->text);
}

static void hear_health(void *arg, const struct plugin_health *h)
{
    (void)arg;
    check_when(&h->when);
    fuzz_check(h->component[0] && h->state < PLUGIN_STATE_COUNT);
    check_text(h->reason);
}

static void hear_note(void *arg, const struct plugin_when *when, struct span text)
{
    (void)arg;
    check_when(when);
    check_text(text);
}

static void hear_done(void *arg, const struct plugin_done *d)
{
    (void)arg;
    check_when(&d->when);
    fuzz_check(d->outcome < FRAME_OUTCOME_COUNT);
    check_text(d->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(host_free) struct plugin_host *host = NULL;
    struct host_opts opts = host_opts_default;
    int ends[2];
    opts.program = "/nonexistent";
    opts.root = "/nonexistent";
    opts.yields = (struct plugin_yields){ hear_sample, hear_event, hear_contribution,
                                          hear_health, hear_note,  hear_done,
                                          NULL };
    fuzz_check(host_new(&opts, &host) == 0);
    fuzz_check(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
                          ends) == 0);
    AUTO_CLOSE int other = ends[1];
    host_adopt(host, ends[0]);
    (void)host_load(host, "a", (struct span){ "x", 1 }, NULL);
    (void)host_load(host, "b", (struct span){ "y", 1 }, NULL);
    for (uint64_t epoch = 1; size >= 2;) {
        size_t length = data[0] | (size_t)data[1] << 8;
        data += 2;
        size -= 2;
        length = length < size ? length : size;
        if (length == 0)
            (void)host_trigger(host, epoch++, 1);
        else if (send(other, data, length, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
            host_receive(host);
        data += length;
        size -= length;
    }
    return 0;
}
