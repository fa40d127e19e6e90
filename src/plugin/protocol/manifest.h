/* SPDX-License-Identifier: Apache-2.0 */
/* manifest - what a plugin states of itself: name, what it reads and what it yields.
 *
 * A plugin in C has it as a constant; that of a Lua plugin comes out of the host
 * process, which is not trusted: plugin_manifest_check() is for both.  All texts are
 * NUL-terminated and have no control bytes.
 */
#ifndef PLUGIN_PROTOCOL_MANIFEST_H
#define PLUGIN_PROTOCOL_MANIFEST_H

#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stdint.h>

#define PLUGIN_NAME_MAX 32
#define PLUGIN_VERSION_MAX 16
#define PLUGIN_ROLE_MAX 16
#define PLUGIN_READ_MAX 128
#define PLUGIN_METRIC_MAX 64
#define PLUGIN_UNIT_MAX 16
#define PLUGIN_EVENT_MAX 32
#define PLUGIN_ROLES 8
#define PLUGIN_READS 16
#define PLUGIN_METRICS 64
#define PLUGIN_EVENTS 16
#define PLUGIN_HEALTHS 8
#define PLUGIN_PERIOD_MAX 86400
#define PLUGIN_DIGEST_BYTES 32

enum plugin_function {
    PLUGIN_SOURCE,
    PLUGIN_REDUCE,
    PLUGIN_SINK,
    PLUGIN_FUNCTION_COUNT,
};

enum plugin_severity {
    PLUGIN_FATAL,
    PLUGIN_ERROR,
    PLUGIN_WARNING,
    PLUGIN_INFO,
    PLUGIN_SEVERITY_COUNT,
};

/* How contributions of one name are merged on their way up. */
enum plugin_merge {
    PLUGIN_SUM,
    PLUGIN_MIN,
    PLUGIN_MAX,
    PLUGIN_MEAN,
    PLUGIN_HISTOGRAM,
    PLUGIN_QUANTILE,
    PLUGIN_TOP,
    PLUGIN_STATE,
    PLUGIN_HOSTS,
    PLUGIN_LUA, /* by the plugin's own reduce */
    PLUGIN_MERGE_COUNT,
};

struct plugin_metric {
    char name[PLUGIN_METRIC_MAX + 1];
    char unit[PLUGIN_UNIT_MAX + 1];
    bool is_counter;
};

struct plugin_event_kind {
    char name[PLUGIN_EVENT_MAX + 1];
    enum plugin_severity severity;
};

struct plugin_manifest {
    char name[PLUGIN_NAME_MAX + 1];
    char version[PLUGIN_VERSION_MAX + 1];
    uint32_t period;    /* every so many triggers; 1 .. PLUGIN_PERIOD_MAX */
    unsigned functions; /* 1 << enum plugin_function */
    uint16_t role_count, read_count, metric_count, event_count, health_count;
    char roles[PLUGIN_ROLES][PLUGIN_ROLE_MAX + 1]; /* none: nodes of all roles */
    char reads[PLUGIN_READS][PLUGIN_READ_MAX + 1]; /* paths, patterns of paths */
    struct plugin_metric metrics[PLUGIN_METRICS];
    struct plugin_event_kind events[PLUGIN_EVENTS];
    char healths[PLUGIN_HEALTHS][PLUGIN_METRIC_MAX + 1]; /* whose health it sets */
    uint8_t digest[PLUGIN_DIGEST_BYTES];                 /* SHA-256 of its text */
};

/* Errors: -EINVAL; err names the field. */
int plugin_manifest_check(const struct plugin_manifest *manifest, struct err *err);

/* A contribution's name is part of a metric's: letters, digits and _ . : - */
bool plugin_contribution_is_valid(struct span name);

const char *plugin_function_name(enum plugin_function function);
const char *plugin_severity_name(enum plugin_severity severity);
const char *plugin_merge_name(enum plugin_merge merge);
/* Errors: -EINVAL. */
int plugin_severity_parse(struct span text, enum plugin_severity *ret);
int plugin_merge_parse(struct span text, enum plugin_merge *ret);

/* Copy text into a field of size bytes.  Errors: -EINVAL (too long, empty, or with
 * bytes other than printable ASCII). */
int plugin_manifest_text(struct span text, char *field, size_t size);

struct frame;
struct frame_reader;
/* As the payload of a record.  Reading sets the reader's error. */
void plugin_manifest_write(const struct plugin_manifest *manifest, struct frame *frame);
void plugin_manifest_read(struct frame_reader *reader, struct plugin_manifest *ret);

#endif
