/* SPDX-License-Identifier: Apache-2.0 */
/* action_cause - what a system states as bad, of a cluster's hosts and their parts. */
#include "act/action_cause.h"

#include "act/node_list.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void action_causes_init(struct action_causes *causes)
{
    *causes = (struct action_causes){ 0 };
    arena_init(&causes->arena, 0);
}

void action_causes_done(struct action_causes *causes)
{
    arena_done(&causes->arena);
    free(causes->causes);
}

struct span action_cause_host(struct span component)
{
    struct component parts;
    component_parse(component, &parts);
    return parts.host;
}

/* ---- a row ---- */

enum cause_column {
    CAUSE_COMPONENT,
    CAUSE_HEALTH,
    CAUSE_SINCE,
    CAUSE_REASON,
    CAUSE_SOURCE,
    CAUSE_CAUSE,
    CAUSE_COLUMN_COUNT
};

static int cause_columns(const struct table *table, int at[CAUSE_COLUMN_COUNT],
                         struct err *err)
{
    static const char *const names[CAUSE_COLUMN_COUNT] = {
        "component", "health", "since", "reason", "source", "cause",
    };
    for (int i = 0; i < CAUSE_COLUMN_COUNT; i++) {
        at[i] = table_find_column(table, names[i]);
        if (at[i] < 0 || (i == CAUSE_SINCE && table->columns[at[i]].type != TABLE_TIME))
            return err_set(err, EBADMSG, "the response is no table of resources");
    }
    return 0;
}

static struct span cause_cell(const struct table *table, size_t row, int column)
{
    const struct table_cell *cell = table_at(table, row, (size_t)column);
    return cell->is_null ? SPAN("") : span_of(cell->text);
}

/* What a command is handed, by scripts often to a shell: letters, digits and what is of
 * no meaning there.  Others are written as \x.. by barod's own parts. */
static bool is_component_text(struct span text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        bool is_word =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!is_word && (c == '\0' || !strchr("._:/@+=-\\", c)))
            return false;
    }
    return text.size > 0 && text.size <= RESOURCE_COMPONENT_BYTES_MAX &&
           text.data[0] != '-' && text.data[0] != '.';
}

static bool is_host_text(struct span host)
{
    return node_name_is_valid(host) && host.data[0] != '.';
}

/* "system:node:edac@n1": "node:edac"; false: it is no check of a system. */
static bool check_of_source(struct span source, struct span *ret)
{
    if (resource_source_kind(source, ret) != RESOURCE_SOURCE_SYSTEM)
        return false;
    const char *at = memchr(ret->data, '@', ret->size);
    if (at)
        ret->size = (size_t)(at - ret->data);
    return ret->size > 0;
}

static struct span class_of(const struct component *parts)
{
    if (parts->subtype.size > 0)
        return parts->subtype;
    return parts->type.size > 0 ? parts->type : SPAN("host");
}

static int cause_add(struct action_causes *causes, const struct action_cause *cause)
{
    size_t capacity = causes->capacity ? 2 * causes->capacity : 64;
    if (!cause->component || !cause->host || !cause->class_name || !cause->check ||
        !cause->reason)
        return -ENOMEM;
    if (causes->count == causes->capacity) {
        struct action_cause *grown =
            reallocarray(causes->causes, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        causes->causes = grown;
        causes->capacity = capacity;
    }
    causes->causes[causes->count++] = *cause;
    return 0;
}

static int cause_read(const struct table *table, size_t row,
                      const int at[CAUSE_COLUMN_COUNT], const char *cluster,
                      struct action_causes *ret)
{
    struct span path = cause_cell(table, row, at[CAUSE_COMPONENT]), check = SPAN("");
    struct component parts;
    enum resource_health health;
    AUTO(strbuf_done) struct strbuf own = STRBUF_INIT;
    component_print_name(&own, span_of(cluster));
    component_parse(path, &parts);
    if (strbuf_error(&own) < 0)
        return -ENOMEM;
    bool is_own_cause = cause_cell(table, row, at[CAUSE_CAUSE]).size == 0;
    if (!span_eq(parts.cluster, strbuf_span(&own)) || !is_own_cause ||
        !check_of_source(cause_cell(table, row, at[CAUSE_SOURCE]), &check) ||
        resource_health_parse(cause_cell(table, row, at[CAUSE_HEALTH]), &health) < 0 ||
        (health != RESOURCE_DOWN && health != RESOURCE_DEGRADED))
        return 0;
    if (!is_host_text(parts.host) || !is_component_text(path) ||
        !is_component_text(check)) {
        ret->unnamed++;
        return 0;
    }
    const struct table_cell *since = table_at(table, row, (size_t)at[CAUSE_SINCE]);
    struct arena *arena = &ret->arena;
    const struct action_cause cause = {
        .component = arena_dup(arena, path),
        .host = arena_dup(arena, parts.host),
        .class_name = arena_dup(arena, class_of(&parts)),
        .check = arena_dup(arena, check),
        .reason = arena_dup(arena, cause_cell(table, row, at[CAUSE_REASON])),
        .state = health,
        .since_ns = since->is_null ? 0 : since->i64 * NS_PER_MS,
    };
    return cause_add(ret, &cause);
}

int action_causes_read(const struct table *resources, const char *cluster,
                       struct action_causes *ret, struct err *err)
{
    int at[CAUSE_COLUMN_COUNT];
    int rc = cause_columns(resources, at, err);
    for (size_t row = 0; rc == 0 && row < resources->row_count; row++)
        rc = cause_read(resources, row, at, cluster, ret);
    return rc;
}
