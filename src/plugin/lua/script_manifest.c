/* SPDX-License-Identifier: Apache-2.0 */
/* script_manifest - the argument of plugin{...} as a manifest. */
#include "plugin/lua/script_state.h"

#include "base/span.h"

/* The table's element becomes the field; absent where that is allowed. */
static void manifest_field(lua_State *lua, const char *what, char *field, size_t size)
{
    size_t length = 0;
    const char *text =
        lua_type(lua, -1) == LUA_TSTRING ? lua_tolstring(lua, -1, &length) : NULL;
    if (!text || plugin_manifest_text((struct span){ text, length }, field, size) < 0)
        (void)luaL_error(lua, "%s: a text of 1 to %d printable bytes is wanted", what,
                         (int)size - 1);
    lua_pop(lua, 1);
}

static void push_field(lua_State *lua, const char *name)
{
    lua_pushstring(lua, name);
    lua_rawget(lua, 1);
}

typedef void element_fn(lua_State *lua, struct plugin_manifest *m, size_t index);

/* Each element of the list, which is on top of the stack for fn, which pops it. */
static uint16_t manifest_list(lua_State *lua, struct plugin_manifest *m,
                              const char *name, size_t max, element_fn *fn)
{
    push_field(lua, name);
    if (lua_isnil(lua, -1)) {
        lua_pop(lua, 1);
        return 0;
    }
    if (!lua_istable(lua, -1))
        (void)luaL_error(lua, "%s: a list is wanted", name);
    size_t count = lua_rawlen(lua, -1);
    if (count > max)
        (void)luaL_error(lua, "%s: more than %d", name, (int)max);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(lua, -1, (lua_Integer)i + 1);
        fn(lua, m, i);
    }
    lua_pop(lua, 1);
    return (uint16_t)count;
}

static void read_role(lua_State *lua, struct plugin_manifest *m, size_t i)
{
    manifest_field(lua, "roles", m->roles[i], sizeof m->roles[i]);
}

static void manifest_path(lua_State *lua, struct plugin_manifest *m, size_t i)
{
    manifest_field(lua, "reads", m->reads[i], sizeof m->reads[i]);
}

static void read_health(lua_State *lua, struct plugin_manifest *m, size_t i)
{
    manifest_field(lua, "health", m->healths[i], sizeof m->healths[i]);
}

static void push_part(lua_State *lua, int part, const char *what)
{
    if (!lua_istable(lua, -1))
        (void)luaL_error(lua, "%s: each is a list, {\"name\", ...}", what);
    lua_rawgeti(lua, -1, part);
}

static void read_metric(lua_State *lua, struct plugin_manifest *m, size_t i)
{
    struct plugin_metric *metric = &m->metrics[i];
    char kind[16] = "gauge";
    push_part(lua, 1, "metrics");
    manifest_field(lua, "metrics: name", metric->name, sizeof metric->name);
    push_part(lua, 2, "metrics");
    if (lua_isnil(lua, -1))
        lua_pop(lua, 1);
    else
        manifest_field(lua, "metrics: unit", metric->unit, sizeof metric->unit);
    push_part(lua, 3, "metrics");
    if (lua_isnil(lua, -1))
        lua_pop(lua, 1);
    else
        manifest_field(lua, "metrics: kind", kind, sizeof kind);
    metric->is_counter = strcmp(kind, "counter") == 0;
    if (!metric->is_counter && strcmp(kind, "gauge") != 0)
        (void)luaL_error(lua, "metrics: kind '%s' is neither gauge nor counter", kind);
    lua_pop(lua, 1);
}

static void manifest_event(lua_State *lua, struct plugin_manifest *m, size_t i)
{
    char severity[16];
    push_part(lua, 1, "events");
    manifest_field(lua, "events: name", m->events[i].name, sizeof m->events[i].name);
    push_part(lua, 2, "events");
    manifest_field(lua, "events: severity", severity, sizeof severity);
    if (plugin_severity_parse(span_of(severity), &m->events[i].severity) < 0)
        (void)luaL_error(lua, "events: severity '%s' (fatal, error, warning, info)",
                         severity);
    lua_pop(lua, 1);
}

void script_read_manifest(lua_State *lua, struct plugin_manifest *m)
{
    luaL_checkstack(lua, 8, NULL);
    lua_settop(lua, 1);
    push_field(lua, "name");
    manifest_field(lua, "name", m->name, sizeof m->name);
    push_field(lua, "version");
    manifest_field(lua, "version", m->version, sizeof m->version);
    push_field(lua, "period");
    lua_Integer period = lua_isnil(lua, -1) ? 1 : luaL_checkinteger(lua, -1);
    if (period < 1 || period > PLUGIN_PERIOD_MAX)
        (void)luaL_error(lua, "period: 1 to %d triggers", PLUGIN_PERIOD_MAX);
    m->period = (uint32_t)period;
    lua_settop(lua, 1);
    m->role_count = manifest_list(lua, m, "roles", PLUGIN_ROLES, read_role);
    m->read_count = manifest_list(lua, m, "reads", PLUGIN_READS, manifest_path);
    m->metric_count = manifest_list(lua, m, "metrics", PLUGIN_METRICS, read_metric);
    m->event_count = manifest_list(lua, m, "events", PLUGIN_EVENTS, manifest_event);
    m->health_count = manifest_list(lua, m, "health", PLUGIN_HEALTHS, read_health);
}
