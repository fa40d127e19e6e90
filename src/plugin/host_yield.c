/* SPDX-License-Identifier: Apache-2.0 */
/* host_yield - what the process sends, checked, and handed to the callbacks. */
#include "plugin/host_private.h"

#include "base/clock.h"
#include "base/span.h"

#include <math.h>

#define YIELDS_MAX 4096 /* of one call */
#define TEXT_MAX 512
#define TAG_MAX 64
#define FINE_TRIGGERS 10

/* ---- checks ---- */

static bool is_printable(struct span text, size_t max)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < 0x20 || text.data[i] > 0x7E)
            return false;
    return text.size <= max;
}

static bool is_tag(struct span text)
{
    return is_printable(text, TAG_MAX) && !memchr(text.data, ' ', text.size) &&
           !memchr(text.data, '\\', text.size);
}

/* No line can hold an identifier of nothing. */
static bool has_types(const struct plugin_sample *s)
{
    return is_tag(s->type) && is_tag(s->id) && is_tag(s->subtype) && is_tag(s->subid) &&
           (s->id.size == 0 || s->type.size > 0) &&
           (s->subid.size == 0 || s->subtype.size > 0);
}

/* ---- strikes ---- */

void host_own_event(struct plugin_host *h, const struct host_slot *slot,
                    const char *name, enum plugin_severity severity, const char *text)
{
    const struct plugin_event event = {
        .when = { &slot->manifest, PLUGIN_SOURCE, 0, clock_now_ns() },
        .name = name,
        .severity = severity,
        .text = span_of(text),
    };
    if (h->opts.yields.event)
        h->opts.yields.event(h->opts.yields.arg, &event);
}

static const char *slot_name(const struct host_slot *slot)
{
    return slot->manifest.name[0] ? slot->manifest.name : slot->file;
}

void host_strike(struct plugin_host *h, uint16_t index, const char *event,
                 const char *why)
{
    struct host_slot *slot = h->slots[index];
    char text[320];
    slot->failures++;
    slot->strikes++;
    slot->struck = PLUGIN_FUNCTION_COUNT;
    (void)snprintf(text, sizeof text, "%s: %.200s (%u of %u)", slot_name(slot), why,
                   slot->strikes, h->opts.strikes_max);
    host_report(h, slot_name(slot), "%s: %s", event, text);
    host_own_event(h, slot, event, PLUGIN_WARNING, text);
    if (slot->strikes < h->opts.strikes_max)
        return;
    slot->state = HOST_SUSPENDED;
    slot->is_load_wanted = false;
    (void)snprintf(slot->why, sizeof slot->why, "%.*s", (int)sizeof slot->why - 1, why);
    host_own_event(h, slot, "plugin_suspended", PLUGIN_ERROR, text);
    host_report(h, slot_name(slot), "is suspended until it is loaded again");
    if (h->fd >= 0) {
        size_t begin = frame_begin(&h->out, FRAME_UNLOAD, index);
        (void)frame_end(&h->out, begin);
        (void)host_send(h);
    }
}

/* ---- yields ---- */

static struct plugin_when when_of(const struct host_slot *slot)
{
    const struct host_pending *p = &slot->pending[0];
    return (struct plugin_when){ &slot->manifest, p->function, p->epoch, p->t_ns };
}

static int host_sample(struct plugin_host *h, const struct host_slot *slot,
                       struct frame_reader *in)
{
    uint16_t metric = frame_get_u16(in);
    struct plugin_sample sample = { .when = when_of(slot), .value = frame_get_f64(in) };
    sample.type = frame_get_text(in);
    sample.id = frame_get_text(in);
    sample.subtype = frame_get_text(in);
    sample.subid = frame_get_text(in);
    if (!frame_is_done(in) || metric >= slot->manifest.metric_count ||
        !isfinite(sample.value) || !has_types(&sample))
        return -EBADMSG;
    sample.metric = &slot->manifest.metrics[metric];
    h->counts.samples++;
    if (h->opts.yields.sample)
        h->opts.yields.sample(h->opts.yields.arg, &sample);
    return 0;
}

static int host_event(struct plugin_host *h, const struct host_slot *slot,
                      struct frame_reader *in)
{
    uint16_t kind = frame_get_u16(in);
    struct plugin_event event = { .when = when_of(slot), .text = frame_get_text(in) };
    if (!frame_is_done(in) || kind >= slot->manifest.event_count ||
        !is_printable(event.text, TEXT_MAX))
        return -EBADMSG;
    event.name = slot->manifest.events[kind].name;
    event.severity = slot->manifest.events[kind].severity;
    h->counts.events++;
    if (h->opts.yields.event)
        h->opts.yields.event(h->opts.yields.arg, &event);
    return 0;
}

static int on_contribution(struct plugin_host *h, const struct host_slot *slot,
                           struct frame_reader *in)
{
    uint8_t merge = frame_get_u8(in);
    struct plugin_contribution c = { .when = when_of(slot),
                                     .value = frame_get_f64(in) };
    c.name = frame_get_text(in);
    c.text = frame_get_text(in);
    if (!frame_is_done(in) || merge >= PLUGIN_MERGE_COUNT || !isfinite(c.value) ||
        !plugin_contribution_is_valid(c.name) || !is_printable(c.text, TEXT_MAX))
        return -EBADMSG;
    c.merge = (enum plugin_merge)merge;
    if (h->opts.yields.contribution)
        h->opts.yields.contribution(h->opts.yields.arg, &c);
    return 0;
}

static int on_health(struct plugin_host *h, const struct host_slot *slot,
                     struct frame_reader *in)
{
    uint16_t component = frame_get_u16(in);
    uint8_t state = frame_get_u8(in);
    struct plugin_health health = { .when = when_of(slot),
                                    .reason = frame_get_text(in) };
    if (!frame_is_done(in) || component >= slot->manifest.health_count ||
        state >= PLUGIN_STATE_COUNT || !is_printable(health.reason, TEXT_MAX))
        return -EBADMSG;
    health.component = slot->manifest.healths[component];
    health.state = (enum plugin_state)state;
    if (h->opts.yields.health)
        h->opts.yields.health(h->opts.yields.arg, &health);
    return 0;
}

static int on_note(struct plugin_host *h, const struct host_slot *slot,
                   struct frame_reader *in)
{
    struct span text = frame_get_text(in);
    struct plugin_when when = when_of(slot);
    if (!frame_is_done(in) || !is_printable(text, TEXT_MAX))
        return -EBADMSG;
    if (h->opts.yields.note)
        h->opts.yields.note(h->opts.yields.arg, &when, text);
    return 0;
}

static int host_yield(struct plugin_host *h, struct host_slot *slot,
                      struct frame_item *record)
{
    if (slot->is_load_sent && record->type == FRAME_NOTE)
        return 0; /* print() while it is loaded */
    if (slot->pending_count == 0 || ++slot->pending[0].yields > YIELDS_MAX)
        return -EBADMSG;
    switch ((int)record->type) {
    case FRAME_SAMPLE:
        return host_sample(h, slot, &record->payload);
    case FRAME_EVENT:
        return host_event(h, slot, &record->payload);
    case FRAME_CONTRIBUTE:
        return on_contribution(h, slot, &record->payload);
    case FRAME_HEALTH:
        return on_health(h, slot, &record->payload);
    case FRAME_NOTE:
        return on_note(h, slot, &record->payload);
    default:
        return -EBADMSG;
    }
}

/* ---- the ends of calls ---- */

static void on_loaded(struct plugin_host *h, uint16_t index, enum frame_outcome outcome,
                      struct span text)
{
    struct host_slot *slot = h->slots[index];
    slot->is_load_sent = false;
    if (slot->is_load_wanted)
        return; /* it was replaced meanwhile */
    if (outcome == FRAME_FINE && slot->has_manifest && slot->state != HOST_SUSPENDED) {
        if (host_send_files(h, index) == 0) {
            slot->state = HOST_READY;
            return;
        }
        slot->is_load_wanted = true; /* the socket is full: once more */
        return;
    }
    if (slot->state == HOST_SUSPENDED)
        return;
    slot->state = HOST_REFUSED;
    (void)snprintf(
        slot->why, sizeof slot->why, "%.*s",
        (int)(text.size < sizeof slot->why ? text.size : sizeof slot->why - 1),
        text.data);
    host_report(h, slot->file, "is refused: %s", slot->why);
}

static void strike_for(struct plugin_host *h, uint16_t index,
                       const struct plugin_done *done)
{
    char why[TEXT_MAX + 1];
    struct span text =
        done->text.size ? done->text : span_of(frame_outcome_name(done->outcome));
    memcpy(why, text.data, text.size); /* at most TEXT_MAX: it was checked */
    why[text.size] = '\0';
    host_strike(h, index,
                done->outcome == FRAME_FAILED ? "plugin_failed" : "plugin_over_budget",
                why);
    h->slots[index]->struck = done->when.function;
}

static int host_done(struct plugin_host *h, uint16_t index, struct frame_reader *in)
{
    struct host_slot *slot = h->slots[index];
    uint8_t function = frame_get_u8(in), outcome = frame_get_u8(in);
    struct plugin_done done = { 0 };
    uint64_t epoch = frame_get_u64(in);
    done.instructions = frame_get_u64(in);
    done.memory_bytes = frame_get_u64(in);
    done.cpu_ns = frame_get_u64(in);
    done.dropped = frame_get_u32(in);
    done.text = frame_get_text(in);
    if (!frame_is_done(in) || outcome >= FRAME_OUTCOME_COUNT ||
        !is_printable(done.text, TEXT_MAX))
        return -EBADMSG;
    done.outcome = (enum frame_outcome)outcome;
    slot->memory_peak = done.memory_bytes;
    if (function == PLUGIN_FUNCTION_COUNT) {
        if (!slot->is_load_sent)
            return -EBADMSG;
        on_loaded(h, index, done.outcome, done.text);
        return 0;
    }
    if (slot->pending_count == 0 || slot->pending[0].function != function ||
        slot->pending[0].epoch != epoch)
        return -EBADMSG;
    done.when = when_of(slot);
    slot->pending_count--;
    memmove(slot->pending, slot->pending + 1,
            slot->pending_count * sizeof slot->pending[0]);
    slot->calls++;
    slot->cpu_ns += done.cpu_ns;
    slot->instructions = done.instructions;
    h->counts.calls++;
    h->counts.dropped += done.dropped;
    h->counts.over_budget += done.outcome > FRAME_FAILED;
    /* A source that goes well does not make up for a reduce that never does. */
    bool is_other =
        slot->struck < PLUGIN_FUNCTION_COUNT && slot->struck != done.when.function;
    if (done.outcome == FRAME_FINE && !is_other)
        slot->strikes = 0;
    else if (done.outcome != FRAME_FINE && slot->state == HOST_READY)
        strike_for(h, index, &done);
    if (h->opts.yields.done)
        h->opts.yields.done(h->opts.yields.arg, &done);
    return 0;
}

static int on_manifest(struct plugin_host *h, uint16_t index, struct frame_reader *in)
{
    struct host_slot *slot = h->slots[index];
    struct plugin_manifest manifest;
    if (!slot->is_load_sent)
        return -EBADMSG;
    plugin_manifest_read(in, &manifest);
    if (!frame_is_done(in) || plugin_manifest_check(&manifest, NULL) < 0)
        return -EBADMSG;
    memcpy(manifest.digest, slot->manifest.digest, sizeof manifest.digest);
    slot->manifest = manifest;
    slot->has_manifest = true;
    return 0;
}

static int on_end(struct plugin_host *h)
{
    if (h->ends_awaited == 0)
        return -EBADMSG;
    h->ends_awaited--;
    /* The last END comes after each DONE: else calls would pile up that never end. */
    for (size_t i = 0; h->ends_awaited == 0 && i < HOST_PLUGINS_MAX; i++)
        if (h->slots[i] && h->slots[i]->pending_count > 0)
            return -EBADMSG;
    h->careful -= h->careful > 0;
    if (h->ends_awaited == 0 && ++h->fine >= FINE_TRIGGERS)
        h->pause_ns = 0;
    return 0;
}

static int on_hello(struct plugin_host *h, struct frame_reader *in)
{
    uint16_t protocol = frame_get_u16(in);
    uint32_t walls = frame_get_u32(in);
    if (!frame_is_done(in) || h->has_hello || protocol != FRAME_PROTOCOL)
        return -EBADMSG;
    h->has_hello = true;
    h->walls = walls;
    return 0;
}

/* Blame is for the plugin that is named where it runs at all. */
static int on_hung(struct plugin_host *h, uint16_t index)
{
    const struct host_slot *slot = h->slots[index];
    if (!slot->is_load_sent && slot->pending_count == 0)
        return -EBADMSG;
    for (uint16_t i = 0; i < HOST_PLUGINS_MAX; i++)
        if (i != index && h->slots[i]) {
            h->slots[i]->pending_count = 0;
            h->slots[i]->is_load_sent = false;
        }
    return -ETIME;
}

static int host_record(struct plugin_host *h, struct frame_item *record)
{
    if (record->type == FRAME_HELLO)
        return on_hello(h, &record->payload);
    if (!h->has_hello)
        return -EBADMSG;
    if (record->type == FRAME_END) {
        (void)frame_get_u64(&record->payload);
        return frame_is_done(&record->payload) ? on_end(h) : -EBADMSG;
    }
    if (record->plugin >= HOST_PLUGINS_MAX || !h->slots[record->plugin])
        return -EBADMSG;
    switch ((int)record->type) {
    case FRAME_MANIFEST:
        return on_manifest(h, record->plugin, &record->payload);
    case FRAME_DONE:
        return host_done(h, record->plugin, &record->payload);
    case FRAME_HUNG:
        return on_hung(h, record->plugin);
    default:
        return host_yield(h, h->slots[record->plugin], record);
    }
}

int host_handle(struct plugin_host *h, const void *data, size_t size)
{
    struct frame_reader reader = { data, (const uint8_t *)data + size, false };
    struct frame_item record;
    int rc = size == 0 ? -EBADMSG : 0;
    while (rc == 0 && frame_next(&reader, &record))
        rc = host_record(h, &record);
    return reader.is_bad ? -EBADMSG : rc;
}
