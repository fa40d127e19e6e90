/* SPDX-License-Identifier: Apache-2.0 */
/* of_reading - what a reading of a file system's target states about it. */
#include "resource/of_reading.h"

#include "base/span.h"
#include "base/timetext.h"

#include <errno.h>
#include <string.h>

static int text_add(struct arena *arena, const struct strbuf *text, struct span *ret)
{
    const char *copy =
        strbuf_error(text) < 0 ? NULL : arena_dup(arena, strbuf_span(text));
    if (!copy)
        return -ENOMEM;
    *ret = (struct span){ copy, text->size };
    return 0;
}

static int component_of(const struct target_reading *reading, struct arena *arena,
                        struct span *ret)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    component_print_name(&path, target_reading_fs(reading));
    strbuf_addc(&path, '/');
    component_print_name(&path, reading->target);
    return text_add(arena, &path, ret);
}

static int space_reason(const struct target_reading *reading, uint64_t full_percent,
                        struct arena *arena, struct span *ret)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char when[TIMETEXT_SIZE];
    timetext_print(when, reading->t_ns);
    strbuf_addf(&text, "space: %.1f %% full at %s, the limit is %llu %%",
                100.0 * (double)reading->used_kib / (double)reading->total_kib, when,
                (unsigned long long)full_percent);
    return text_add(arena, &text, ret);
}

static int target_reason(const struct target_reading *reading, struct arena *arena,
                         struct span *ret)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char when[TIMETEXT_SIZE];
    timetext_print(when, reading->t_ns);
    strbuf_addf(&text, "target: inactive at %s", when);
    if (reading->source.size > 0)
        strbuf_addf(&text, ", as " SPAN_FMT " sees it", SPAN_ARG(reading->source));
    return text_add(arena, &text, ret);
}

/* Each reader's own: what is away for one is there for another. */
static int target_source(const struct target_reading *reading, struct arena *arena,
                         struct span *ret)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, RESOURCE_SOURCE_TARGET);
    if (reading->source.size > 0 && reading->source.size < 100)
        strbuf_addf(&text, "@" SPAN_FMT, SPAN_ARG(reading->source));
    return text_add(arena, &text, ret);
}

static bool is_full(const struct target_reading *r, uint64_t full_percent)
{
    return (__int128)r->used_kib * 100 >=
           (__int128)r->total_kib * (int64_t)full_percent;
}

int resource_of_reading(const struct target_reading *reading, uint64_t full_percent,
                        struct arena *arena, struct resource_statement ret[static 2])
{
    struct span component;
    int count = 0;
    int rc = component_of(reading, arena, &component);
    if (rc < 0 || !resource_component_is_valid(component))
        return rc;
    if (reading->has_space && reading->total_kib > 0) {
        struct resource_statement *s = &ret[count++];
        *s = (struct resource_statement){ .component = component,
                                          .source = SPAN(RESOURCE_SOURCE_SPACE),
                                          .t_ns = reading->t_ns };
        if (is_full(reading, full_percent)) {
            s->health = RESOURCE_DEGRADED;
            rc = space_reason(reading, full_percent, arena, &s->reason);
        }
    }
    if (rc == 0 && (reading->is_inactive || reading->server.size > 0)) {
        struct resource_statement *s = &ret[count++];
        *s = (struct resource_statement){ .component = component,
                                          .t_ns = reading->t_ns };
        rc = target_source(reading, arena, &s->source);
        if (rc == 0 && reading->is_inactive) {
            s->health = RESOURCE_DEGRADED;
            rc = target_reason(reading, arena, &s->reason);
        }
    }
    return rc < 0 ? rc : count;
}
