/* SPDX-License-Identifier: Apache-2.0 */
/* script_api - what a plugin in Lua can do: read its files, and yield. */
#include "plugin/lua/script_state.h"

#include "base/span.h"

#include <math.h>
#include <unistd.h>

#define TEXT_MAX 368
#define TAG_MAX 64
/* The kernel fills a page at most with whole records of a file of proc: what is much
 * shorter was all of it, and no second read has to find that out. */
#define SHORT_READ 2048

/* ---- files ---- */

static const struct script_path *file_find(const struct script *s, struct span path)
{
    for (size_t i = 0; i < s->file_count; i++)
        if (span_is(path, s->files[i].path))
            return &s->files[i];
    return NULL;
}

static int api_read(lua_State *lua)
{
    struct script *s = script_of(lua);
    size_t size = 0, path_size = 0;
    const char *path = luaL_checklstring(lua, 1, &path_size);
    const struct script_path *file = file_find(s, (struct span){ path, path_size });
    script_charge(s, 100);
    if (!file) {
        lua_pushnil(lua);
        return 1;
    }
    for (;;) {
        ssize_t n =
            pread(file->fd, s->text + size, FRAME_BYTES_MAX - size, (off_t)size);
        if (n <= 0 && size == 0) {
            lua_pushnil(lua);
            return 1;
        }
        size += n > 0 ? (size_t)n : 0;
        if (n < SHORT_READ || size == FRAME_BYTES_MAX)
            break;
    }
    lua_pushlstring(lua, (const char *)s->text, size);
    return 1;
}

static int api_files(lua_State *lua)
{
    struct script *s = script_of(lua);
    const char *pattern = luaL_optstring(lua, 1, "*");
    script_charge(s, 100);
    lua_newtable(lua);
    lua_Integer count = 0;
    for (size_t i = 0; i < s->file_count; i++) {
        struct span path = span_of(s->files[i].path);
        script_charge(s, (int64_t)path.size);
        if (strlen(pattern) < PLUGIN_READ_MAX && span_glob(path, pattern)) {
            lua_pushlstring(lua, path.data, path.size);
            lua_rawseti(lua, -2, ++count);
        }
    }
    return 1;
}

/* ---- yields ---- */

/* NULL: counted as dropped. */
static struct frame *yield_begin(lua_State *lua, size_t size)
{
    struct script *s = script_of(lua);
    script_charge(s, 20);
    if (s->is_loading)
        (void)luaL_error(lua, "nothing is yielded while a plugin is loaded");
    struct frame *frame =
        s->yields < SCRIPT_YIELDS_MAX ? s->out.frame_fn(s->out.arg, size) : NULL;
    s->yields++;
    s->dropped += frame == NULL;
    return frame;
}

static double finite_arg(lua_State *lua, int index)
{
    double value = luaL_checknumber(lua, index);
    luaL_argcheck(lua, isfinite(value), index, "a finite number is wanted");
    return value;
}

/* A text for people: what is not printable ASCII becomes '?', in a copy on the stack.
 */
static struct span printable_arg(lua_State *lua, int index, size_t max)
{
    char text[TEXT_MAX];
    size_t size = 0;
    const char *data = luaL_optlstring(lua, index, "", &size);
    size = size < max ? size : max;
    for (size_t i = 0; i < size; i++)
        text[i] = data[i] >= 0x20 && data[i] < 0x7F ? data[i] : '?';
    return (struct span){ lua_pushlstring(lua, text, size), size };
}

static struct span text_arg(lua_State *lua, int index, size_t max)
{
    size_t size = 0;
    const char *text = luaL_optlstring(lua, index, "", &size);
    return (struct span){ text, size < max ? size : max };
}

/* tags.type and the like stay on the stack, so that their texts stay. */
static struct span tag_of(lua_State *lua, int table, const char *name)
{
    size_t size = 0;
    if (!lua_istable(lua, table))
        return (struct span){ "", 0 };
    lua_pushstring(lua, name);
    if (lua_rawget(lua, table) == LUA_TNIL)
        return (struct span){ "", 0 };
    const char *text = lua_tolstring(lua, -1, &size);
    bool is_name = text && size <= TAG_MAX;
    for (size_t i = 0; is_name && i < size; i++)
        is_name = text[i] > 0x20 && text[i] < 0x7F && text[i] != '\\';
    if (!is_name)
        (void)luaL_error(lua, "%s: a text of at most %d printable bytes without blanks",
                         name, TAG_MAX);
    return (struct span){ text, size };
}

static int api_sample(lua_State *lua)
{
    struct script *s = script_of(lua);
    struct span name = text_arg(lua, 1, PLUGIN_METRIC_MAX + 1);
    double value = finite_arg(lua, 2);
    luaL_checkstack(lua, 4, NULL);
    struct span tags[4] = { tag_of(lua, 3, "type"), tag_of(lua, 3, "id"),
                            tag_of(lua, 3, "subtype"), tag_of(lua, 3, "subid") };
    if ((tags[1].size && !tags[0].size) || (tags[3].size && !tags[2].size))
        return luaL_error(lua, "sample: id wants a type, and subid a subtype");
    size_t i = 0;
    while (i < s->manifest.metric_count && !span_is(name, s->manifest.metrics[i].name))
        i++;
    if (i == s->manifest.metric_count)
        return luaL_error(lua, "metric '%s' is not in the manifest", name.data);
    struct frame *frame = yield_begin(lua, 64 + 4 * TAG_MAX);
    if (!frame)
        return 0;
    size_t begin = frame_begin(frame, FRAME_SAMPLE, s->index);
    frame_put_u16(frame, (uint16_t)i);
    frame_put_f64(frame, value);
    for (size_t k = 0; k < COUNT_OF(tags); k++)
        frame_put_text(frame, tags[k]);
    (void)frame_end(frame, begin);
    return 0;
}

static int api_event(lua_State *lua)
{
    struct script *s = script_of(lua);
    struct span name = text_arg(lua, 1, PLUGIN_EVENT_MAX + 1),
                text = printable_arg(lua, 2, TEXT_MAX);
    size_t i = 0;
    while (i < s->manifest.event_count && !span_is(name, s->manifest.events[i].name))
        i++;
    if (i == s->manifest.event_count)
        return luaL_error(lua, "event '%s' is not in the manifest", name.data);
    struct frame *frame = yield_begin(lua, 64 + TEXT_MAX);
    if (!frame)
        return 0;
    size_t begin = frame_begin(frame, FRAME_EVENT, s->index);
    frame_put_u16(frame, (uint16_t)i);
    frame_put_text(frame, text);
    (void)frame_end(frame, begin);
    return 0;
}

static int api_contribute(lua_State *lua)
{
    struct script *s = script_of(lua);
    struct span name = text_arg(lua, 1, PLUGIN_METRIC_MAX + 1),
                how = text_arg(lua, 2, PLUGIN_METRIC_MAX);
    enum plugin_merge merge;
    if (!plugin_contribution_is_valid(name))
        return luaL_error(lua,
                          "contribute: a name of 1 to %d letters, digits and _ . : - "
                          "is wanted",
                          PLUGIN_METRIC_MAX);
    if (plugin_merge_parse(how, &merge) < 0)
        return luaL_error(lua, "contribute(name, merge, value): invalid merge '%s'",
                          how.data);
    bool is_text = lua_type(lua, 3) == LUA_TSTRING;
    double value = is_text ? 0 : finite_arg(lua, 3);
    struct span text =
        is_text ? printable_arg(lua, 3, TEXT_MAX) : (struct span){ "", 0 };
    struct frame *frame = yield_begin(lua, 64 + PLUGIN_METRIC_MAX + TEXT_MAX);
    if (!frame)
        return 0;
    size_t begin = frame_begin(frame, FRAME_CONTRIBUTE, s->index);
    frame_put_u8(frame, (uint8_t)merge);
    frame_put_f64(frame, value);
    frame_put_text(frame, name);
    frame_put_text(frame, text);
    (void)frame_end(frame, begin);
    return 0;
}

static int api_health(lua_State *lua)
{
    struct script *s = script_of(lua);
    static const char *const states[] = { "up", "degraded", "down", "unknown", NULL };
    struct span name = text_arg(lua, 1, PLUGIN_METRIC_MAX);
    int state = luaL_checkoption(lua, 2, NULL, states);
    struct span text = printable_arg(lua, 3, TEXT_MAX);
    size_t i = 0;
    while (i < s->manifest.health_count && !span_is(name, s->manifest.healths[i]))
        i++;
    if (i == s->manifest.health_count)
        return luaL_error(lua, "health of '%s' is not in the manifest", name.data);
    struct frame *frame = yield_begin(lua, 64 + TEXT_MAX);
    if (!frame)
        return 0;
    size_t begin = frame_begin(frame, FRAME_HEALTH, s->index);
    frame_put_u16(frame, (uint16_t)i);
    frame_put_u8(frame, (uint8_t)state);
    frame_put_text(frame, text);
    (void)frame_end(frame, begin);
    return 0;
}

/* ---- rates ---- */

/* rate(key, counter): its increase a second since the last call; nil at first, and
 * where it went back.  Upvalues: the values and the times by key. */
static int api_rate(lua_State *lua)
{
    struct script *s = script_of(lua);
    luaL_checkany(lua, 1);
    double value = finite_arg(lua, 2);
    double time_s = s->call ? (double)s->call->t_ns / 1e9 : 0;
    lua_settop(lua, 2);
    lua_pushvalue(lua, 1);
    lua_rawget(lua, lua_upvalueindex(1));
    lua_pushvalue(lua, 1);
    lua_rawget(lua, lua_upvalueindex(2));
    double increase = value - lua_tonumber(lua, 3),
           elapsed = time_s - lua_tonumber(lua, 4);
    bool has_rate = lua_isnumber(lua, 3) && increase >= 0 && elapsed > 0;
    lua_pushvalue(lua, 1);
    lua_pushnumber(lua, value);
    lua_rawset(lua, lua_upvalueindex(1));
    lua_pushvalue(lua, 1);
    lua_pushnumber(lua, time_s);
    lua_rawset(lua, lua_upvalueindex(2));
    if (has_rate)
        lua_pushnumber(lua, increase / elapsed);
    else
        lua_pushnil(lua);
    return 1;
}

static int api_plugin(lua_State *lua)
{
    struct script *s = script_of(lua);
    if (!s->is_loading || s->has_manifest)
        return luaL_error(lua, "plugin{...} is called once, when it is loaded");
    luaL_checktype(lua, 1, LUA_TTABLE);
    script_read_manifest(lua, &s->manifest);
    s->has_manifest = true;
    return 0;
}

void script_add_api(lua_State *lua)
{
    static const luaL_Reg functions[] = {
        { "plugin", api_plugin }, { "read", api_read },
        { "files", api_files },   { "sample", api_sample },
        { "event", api_event },   { "contribute", api_contribute },
        { "health", api_health },
    };
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        lua_pushcfunction(lua, functions[i].func);
        lua_setglobal(lua, functions[i].name);
    }
    lua_newtable(lua);
    lua_newtable(lua);
    lua_pushcclosure(lua, api_rate, 2);
    lua_setglobal(lua, "rate");
}
