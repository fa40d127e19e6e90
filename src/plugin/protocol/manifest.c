/* SPDX-License-Identifier: Apache-2.0 */
/* manifest - what a plugin states of itself. */
#include "plugin/protocol/manifest.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "plugin/protocol/frame.h"

static const char *const function_names[PLUGIN_FUNCTION_COUNT] = { "source", "reduce",
                                                                   "sink" };
static const char *const severity_names[PLUGIN_SEVERITY_COUNT] = { "fatal", "error",
                                                                   "warning", "info" };
static const char *const merge_names[PLUGIN_MERGE_COUNT] = {
    "sum",      "min", "max",   "mean",  "histogram",
    "quantile", "top", "state", "hosts", "lua",
};

const char *plugin_function_name(enum plugin_function function)
{
    return function < PLUGIN_FUNCTION_COUNT ? function_names[function] : "load";
}

const char *plugin_severity_name(enum plugin_severity severity)
{
    return severity < PLUGIN_SEVERITY_COUNT ? severity_names[severity] : "unknown";
}

const char *plugin_merge_name(enum plugin_merge merge)
{
    return merge < PLUGIN_MERGE_COUNT ? merge_names[merge] : "unknown";
}

static int enum_find(struct span text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (span_is(text, names[i]))
            return (int)i;
    return -EINVAL;
}

int plugin_severity_parse(struct span text, enum plugin_severity *ret)
{
    int found = enum_find(text, severity_names, PLUGIN_SEVERITY_COUNT);
    if (found >= 0)
        *ret = (enum plugin_severity)found;
    return found < 0 ? found : 0;
}

int plugin_merge_parse(struct span text, enum plugin_merge *ret)
{
    int found = enum_find(text, merge_names, PLUGIN_MERGE_COUNT);
    if (found >= 0)
        *ret = (enum plugin_merge)found;
    return found < 0 ? found : 0;
}

int plugin_manifest_text(struct span text, char *field, size_t size)
{
    if (text.size == 0 || text.size >= size)
        return -EINVAL;
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < 0x20 || text.data[i] > 0x7E)
            return -EINVAL;
    memcpy(field, text.data, text.size);
    field[text.size] = '\0';
    return 0;
}

/* ---- checks ---- */

static bool is_word_of(struct span text, const char *others)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '_';
        if (!is_letter && (c == '\0' || !strchr(others, c)))
            return false;
    }
    return text.size > 0;
}

static bool is_manifest_word(const char *text, const char *others)
{
    return is_word_of(span_of(text), others);
}

bool plugin_contribution_is_valid(struct span name)
{
    return name.size <= PLUGIN_METRIC_MAX && is_word_of(name, ".:-");
}

/* Events are PLUGIN.EVENT in the session: those of the session itself, and those that
 * are of no plugin, cannot be imitated. */
static bool is_name_reserved(const char *name)
{
    return strcmp(name, "session") == 0 || strcmp(name, "plugin") == 0;
}

static bool is_path(const char *text)
{
    return text[0] == '/' && !strstr(text, "/../") && !span_ends(span_of(text), "/..");
}

static bool has_twice(const struct plugin_manifest *m)
{
    for (size_t i = 0; i < m->metric_count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(m->metrics[i].name, m->metrics[k].name) == 0)
                return true;
    return false;
}

static int events_check(const struct plugin_manifest *m, struct err *err)
{
    for (size_t i = 0; i < m->event_count; i++) {
        const char *name = m->events[i].name;
        if (!is_manifest_word(name, "") ||
            m->events[i].severity >= PLUGIN_SEVERITY_COUNT)
            return err_set(err, EINVAL, "events: '%s' is not letters, digits and _",
                           name);
        if (span_starts(span_of(name), "plugin_"))
            return err_set(err, EINVAL, "events: '%s': plugin_... are the agent's own",
                           name);
    }
    return 0;
}

int plugin_manifest_check(const struct plugin_manifest *m, struct err *err)
{
    if (!is_manifest_word(m->name, "-"))
        return err_set(err, EINVAL, "name: letters, digits, - and _ are wanted");
    if (is_name_reserved(m->name))
        return err_set(err, EINVAL, "name: '%s' is reserved: choose another", m->name);
    if (!is_manifest_word(m->version, ".-+"))
        return err_set(err, EINVAL, "version: letters, digits, . - + and _ are wanted");
    if (m->period < 1 || m->period > PLUGIN_PERIOD_MAX)
        return err_set(err, EINVAL, "period: %u is out of range (1..%d triggers)",
                       (unsigned)m->period, PLUGIN_PERIOD_MAX);
    if (m->functions == 0 || m->functions >= 1U << PLUGIN_FUNCTION_COUNT)
        return err_set(err, EINVAL, "no function: source, reduce or sink is wanted");
    if (m->role_count > PLUGIN_ROLES || m->read_count > PLUGIN_READS ||
        m->metric_count > PLUGIN_METRICS || m->event_count > PLUGIN_EVENTS ||
        m->health_count > PLUGIN_HEALTHS)
        return err_set(err, EINVAL, "too many roles, reads, metrics, events or health");
    for (size_t i = 0; i < m->role_count; i++)
        if (!is_manifest_word(m->roles[i], "-"))
            return err_set(err, EINVAL, "roles: '%s' is not a word", m->roles[i]);
    for (size_t i = 0; i < m->read_count; i++)
        if (!is_path(m->reads[i]))
            return err_set(err, EINVAL,
                           "reads: '%s' is not an absolute path without ..",
                           m->reads[i]);
    for (size_t i = 0; i < m->metric_count; i++)
        if (!is_manifest_word(m->metrics[i].name, ""))
            return err_set(err, EINVAL, "metrics: '%s' is not letters, digits and _",
                           m->metrics[i].name);
    int rc = events_check(m, err);
    if (rc < 0)
        return rc;
    if (has_twice(m))
        return err_set(err, EINVAL, "metrics: a name stands twice");
    return 0;
}

/* ---- as a payload ---- */

static void put_field(struct frame *frame, const char *text)
{
    frame_put_text(frame, span_of(text));
}

void plugin_manifest_write(const struct plugin_manifest *m, struct frame *frame)
{
    put_field(frame, m->name);
    put_field(frame, m->version);
    frame_put_u32(frame, m->period);
    frame_put_u8(frame, (uint8_t)m->functions);
    frame_put_u16(frame, m->role_count);
    for (size_t i = 0; i < m->role_count; i++)
        put_field(frame, m->roles[i]);
    frame_put_u16(frame, m->read_count);
    for (size_t i = 0; i < m->read_count; i++)
        put_field(frame, m->reads[i]);
    frame_put_u16(frame, m->metric_count);
    for (size_t i = 0; i < m->metric_count; i++) {
        put_field(frame, m->metrics[i].name);
        put_field(frame, m->metrics[i].unit);
        frame_put_u8(frame, m->metrics[i].is_counter);
    }
    frame_put_u16(frame, m->event_count);
    for (size_t i = 0; i < m->event_count; i++) {
        put_field(frame, m->events[i].name);
        frame_put_u8(frame, (uint8_t)m->events[i].severity);
    }
    frame_put_u16(frame, m->health_count);
    for (size_t i = 0; i < m->health_count; i++)
        put_field(frame, m->healths[i]);
}

static void get_field(struct frame_reader *reader, char *field, size_t size,
                      bool may_be_empty)
{
    struct span text = frame_get_text(reader);
    field[0] = '\0';
    if (text.size == 0 && may_be_empty)
        return;
    if (plugin_manifest_text(text, field, size) < 0)
        reader->is_bad = true;
}

static uint16_t get_count(struct frame_reader *reader, uint16_t max)
{
    uint16_t count = frame_get_u16(reader);
    if (count <= max)
        return count;
    reader->is_bad = true;
    return 0;
}

void plugin_manifest_read(struct frame_reader *reader, struct plugin_manifest *m)
{
    *m = (struct plugin_manifest){ 0 };
    get_field(reader, m->name, sizeof m->name, false);
    get_field(reader, m->version, sizeof m->version, false);
    m->period = frame_get_u32(reader);
    m->functions = frame_get_u8(reader);
    m->role_count = get_count(reader, PLUGIN_ROLES);
    for (size_t i = 0; i < m->role_count; i++)
        get_field(reader, m->roles[i], sizeof m->roles[i], false);
    m->read_count = get_count(reader, PLUGIN_READS);
    for (size_t i = 0; i < m->read_count; i++)
        get_field(reader, m->reads[i], sizeof m->reads[i], false);
    m->metric_count = get_count(reader, PLUGIN_METRICS);
    for (size_t i = 0; i < m->metric_count; i++) {
        get_field(reader, m->metrics[i].name, sizeof m->metrics[i].name, false);
        get_field(reader, m->metrics[i].unit, sizeof m->metrics[i].unit, true);
        m->metrics[i].is_counter = frame_get_u8(reader) != 0;
    }
    m->event_count = get_count(reader, PLUGIN_EVENTS);
    for (size_t i = 0; i < m->event_count; i++) {
        get_field(reader, m->events[i].name, sizeof m->events[i].name, false);
        uint8_t severity = frame_get_u8(reader);
        if (severity >= PLUGIN_SEVERITY_COUNT)
            reader->is_bad = true;
        else
            m->events[i].severity = (enum plugin_severity)severity;
    }
    m->health_count = get_count(reader, PLUGIN_HEALTHS);
    for (size_t i = 0; i < m->health_count; i++)
        get_field(reader, m->healths[i], sizeof m->healths[i], false);
}
