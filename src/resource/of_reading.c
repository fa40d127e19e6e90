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
static int reader_source(const char *prefix, const struct target_reading *reading,
                         struct arena *arena, struct span *ret)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, prefix);
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
        rc = reader_source(RESOURCE_SOURCE_TARGET, reading, arena, &s->source);
        if (rc == 0 && reading->is_inactive) {
            s->health = RESOURCE_DEGRADED;
            rc = target_reason(reading, arena, &s->reason);
        }
    }
    return rc < 0 ? rc : count;
}

/* ---- who serves it ---- */

#define UP_PREFIX "server: "
#define USUAL_PREFIX ", usually by "

int resource_server_source(const struct target_reading *reading, struct arena *arena,
                           struct span *ret)
{
    return reader_source(RESOURCE_SOURCE_SERVER, reading, arena, ret);
}

int resource_target_component(const struct target_reading *reading, struct arena *arena,
                              struct span *ret)
{
    int rc = component_of(reading, arena, ret);
    if (rc == 0 && !resource_component_is_valid(*ret))
        *ret = (struct span){ "", 0 };
    return rc;
}

/* As reasons above have it; empty: there is none. */
static struct span usual_server(const struct resource_statement *stored)
{
    struct span reason = stored ? stored->reason : SPAN("");
    if (!span_starts(reason, UP_PREFIX))
        return SPAN("");
    if (stored->health == RESOURCE_UP)
        return span_skip(reason, strlen(UP_PREFIX));
    const char *at =
        memmem(reason.data, reason.size, USUAL_PREFIX, strlen(USUAL_PREFIX));
    return at ? span_skip(reason, (size_t)(at - reason.data) + strlen(USUAL_PREFIX))
              : SPAN("");
}

static int server_reason(const struct target_reading *reading, struct span usual,
                         struct arena *arena, struct span *ret)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char when[TIMETEXT_SIZE];
    timetext_print(when, reading->t_ns);
    strbuf_adds(&text, UP_PREFIX);
    if (usual.size == 0)
        strbuf_add_span(&text, reading->server);
    else
        strbuf_addf(&text, "served by " SPAN_FMT " at %s" USUAL_PREFIX SPAN_FMT,
                    SPAN_ARG(reading->server), when, SPAN_ARG(usual));
    return text_add(arena, &text, ret);
}

int resource_of_server(const struct target_reading *reading,
                       const struct resource_statement *stored, struct arena *arena,
                       struct resource_statement *ret)
{
    struct span usual = usual_server(stored);
    if (reading->server.size == 0 || reading->server.size > 128 ||
        (stored && reading->t_ns <= stored->t_ns))
        return 0;
    bool is_usual = usual.size == 0 || span_eq(usual, reading->server);
    bool is_up = stored && stored->health == RESOURCE_UP;
    if (stored && usual.size > 0 && is_usual == is_up) {
        /* Nothing is new; but what lasts becomes usual. */
        if (is_usual || reading->t_ns - stored->t_ns < RESOURCE_USUAL_NS)
            return 0;
        is_usual = true;
    }
    *ret = (struct resource_statement){
        .t_ns = reading->t_ns,
        .health = is_usual ? RESOURCE_UP : RESOURCE_DEGRADED,
    };
    int rc = resource_target_component(reading, arena, &ret->component);
    if (rc == 0)
        rc = resource_server_source(reading, arena, &ret->source);
    if (rc == 0)
        rc = server_reason(reading, is_usual ? SPAN("") : usual, arena, &ret->reason);
    return rc < 0 ? rc : ret->component.size > 0;
}
