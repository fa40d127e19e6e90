/* SPDX-License-Identifier: Apache-2.0 */
/* yield - what plugins yield: samples, events, contributions, health.
 *
 * One table of callbacks receives it, whether the plugin is built in or in Lua.  All
 * texts are valid during the callback, printable, and bounded.
 */
#ifndef PLUGIN_YIELD_H
#define PLUGIN_YIELD_H

#include "plugin/protocol/protocol.h"

#include <stddef.h>

/* Of which function of which plugin, at which trigger. */
struct plugin_when {
    const struct plugin_manifest *plugin;
    enum plugin_function function;
    uint64_t epoch;
    int64_t t_ns; /* the trigger's instant */
};

struct plugin_sample {
    struct plugin_when when;
    const struct plugin_metric *metric;
    double value; /* finite */
    /* Below the host; type empty: the host itself. */
    struct span type, id, subtype, subid;
};

struct plugin_event {
    struct plugin_when when;
    const char *name;
    enum plugin_severity severity;
    struct span text;
};

struct plugin_contribution {
    struct plugin_when when;
    struct span name;
    enum plugin_merge merge;
    double value;
    struct span text; /* instead of a value: of state, hosts, lua */
};

enum plugin_state {
    PLUGIN_UP,
    PLUGIN_DEGRADED,
    PLUGIN_DOWN,
    PLUGIN_UNKNOWN,
    PLUGIN_STATE_COUNT,
};

struct plugin_health {
    struct plugin_when when;
    const char *component; /* below the host */
    enum plugin_state state;
    struct span reason;
};

/* How one call ended. */
struct plugin_done {
    struct plugin_when when;
    enum frame_outcome outcome;
    uint64_t instructions, memory_bytes, cpu_ns;
    uint32_t dropped; /* yields over the bound */
    struct span text; /* the error */
};

/* Each may be NULL. */
struct plugin_yields {
    void (*sample)(void *arg, const struct plugin_sample *sample);
    void (*event)(void *arg, const struct plugin_event *event);
    void (*contribution)(void *arg, const struct plugin_contribution *contribution);
    void (*health)(void *arg, const struct plugin_health *health);
    void (*note)(void *arg, const struct plugin_when *when, struct span text);
    void (*done)(void *arg, const struct plugin_done *done);
    void *arg;
};

/* What reaches reduce and sink. */
struct plugin_input {
    struct span name, from;
    bool is_text;
    double value;
    struct span text;
};

#endif
