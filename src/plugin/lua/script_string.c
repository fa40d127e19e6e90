/* SPDX-License-Identifier: Apache-2.0 */
/* script_string - Lua's functions for strings, whose patterns have a bound of steps. */
#include "plugin/lua/script_state.h"

#include "plugin/lua/pattern.h"

#define SUBJECT_MAX ((size_t)256 << 10)
#define REPEAT_MAX 1000000

/* What is left of the call's instructions are the steps. */
static int search(lua_State *lua, struct span subject, struct span pattern, size_t from,
                  bool is_plain, struct pattern_match *ret)
{
    struct script *s = script_of(lua);
    if (subject.size > SUBJECT_MAX || pattern.size > SUBJECT_MAX)
        return luaL_error(lua, "a string of more than %d bytes is not searched",
                          (int)SUBJECT_MAX);
    int64_t left = s->left > 0 ? s->left : 0, before = left;
    int rc = is_plain ? pattern_find_plain(subject, pattern, from, &left, ret)
                      : pattern_find(subject, pattern, from, &left, ret);
    script_charge(s, before - (left > 0 ? left : 0) + 1);
    if (rc == -E2BIG)
        return luaL_error(lua, "the pattern is too complex");
    if (rc < 0)
        return luaL_error(lua, "malformed pattern");
    return rc;
}

static struct span span_arg(lua_State *lua, int index)
{
    size_t size = 0;
    const char *data = luaL_checklstring(lua, index, &size);
    return (struct span){ data, size };
}

static void push_capture(lua_State *lua, struct span subject,
                         const struct pattern_match *m, size_t i)
{
    if (i == 0 && m->capture_count == 0)
        lua_pushlstring(lua, subject.data + m->at, m->end - m->at);
    else if (m->captures[i].size == PATTERN_POSITION)
        lua_pushinteger(lua, (lua_Integer)m->captures[i].at + 1);
    else
        lua_pushlstring(lua, subject.data + m->captures[i].at, m->captures[i].size);
}

/* All captures; where there are none, the whole match if is_whole. */
static int push_captures(lua_State *lua, struct span subject,
                         const struct pattern_match *m, bool is_whole)
{
    size_t count = m->capture_count == 0 && is_whole ? 1 : m->capture_count;
    luaL_checkstack(lua, (int)count, "too many captures");
    for (size_t i = 0; i < count; i++)
        push_capture(lua, subject, m, i);
    return (int)count;
}

/* Where a search begins, from 0; beyond the end: nothing is found. */
static size_t begin_of(lua_State *lua, int index, size_t size)
{
    lua_Integer init = luaL_optinteger(lua, index, 1);
    if (init > 0)
        return (lua_Unsigned)init - 1 <= size ? (size_t)init - 1 : size + 1;
    if (init == 0 || init < -(lua_Integer)size)
        return 0;
    return size - (size_t)-init;
}

static int string_find(lua_State *lua)
{
    struct span subject = span_arg(lua, 1), pattern = span_arg(lua, 2);
    struct pattern_match m;
    bool is_plain = lua_toboolean(lua, 4) || pattern_is_plain(pattern);
    if (!search(lua, subject, pattern, begin_of(lua, 3, subject.size), is_plain, &m)) {
        lua_pushnil(lua);
        return 1;
    }
    lua_pushinteger(lua, (lua_Integer)m.at + 1);
    lua_pushinteger(lua, (lua_Integer)m.end);
    return 2 + push_captures(lua, subject, &m, false);
}

static int string_match(lua_State *lua)
{
    struct span subject = span_arg(lua, 1), pattern = span_arg(lua, 2);
    struct pattern_match m;
    if (!search(lua, subject, pattern, begin_of(lua, 3, subject.size), false, &m)) {
        lua_pushnil(lua);
        return 1;
    }
    return push_captures(lua, subject, &m, true);
}

/* Upvalues: subject, pattern, where to go on, the end of the last match. */
static int gmatch_next(lua_State *lua)
{
    size_t size, pattern_size;
    const char *data = lua_tolstring(lua, lua_upvalueindex(1), &size);
    const char *pattern = lua_tolstring(lua, lua_upvalueindex(2), &pattern_size);
    struct span subject = { data, size };
    size_t from = (size_t)lua_tointeger(lua, lua_upvalueindex(3));
    lua_Integer last = lua_tointeger(lua, lua_upvalueindex(4));
    struct pattern_match m;
    while (from <= size && search(lua, subject, (struct span){ pattern, pattern_size },
                                  from, false, &m)) {
        if ((lua_Integer)m.end == last) { /* the empty match where the last one ended */
            from = m.at + 1;
            continue;
        }
        lua_pushinteger(lua, (lua_Integer)m.end);
        lua_copy(lua, -1, lua_upvalueindex(3));
        lua_copy(lua, -1, lua_upvalueindex(4));
        return push_captures(lua, subject, &m, true);
    }
    return 0;
}

static int string_gmatch(lua_State *lua)
{
    struct span pattern = span_arg(lua, 2);
    (void)span_arg(lua, 1);
    if (pattern.size && pattern.data[0] == '^')
        return luaL_argerror(lua, 2, "^ is not for gmatch");
    lua_settop(lua, 2);
    lua_pushinteger(lua, 0);
    lua_pushinteger(lua, -1);
    lua_pushcclosure(lua, gmatch_next, 4);
    return 1;
}

static void gsub_add_text(lua_State *lua, luaL_Buffer *out, struct span subject,
                          const struct pattern_match *m)
{
    struct span text = span_arg(lua, 3);
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != '%') {
            luaL_addchar(out, text.data[i]);
            continue;
        }
        char c = ++i < text.size ? text.data[i] : 0;
        if (c == '%') {
            luaL_addchar(out, c);
        } else if (c == '0') {
            luaL_addlstring(out, subject.data + m->at, m->end - m->at);
        } else if (c >= '1' && c <= '9' &&
                   ((size_t)(c - '1') < m->capture_count || c == '1')) {
            push_capture(lua, subject, m, (size_t)(c - '1'));
            (void)luaL_tolstring(lua, -1, NULL);
            lua_remove(lua, -2);
            luaL_addvalue(out);
        } else {
            (void)luaL_error(lua, "invalid use of %% in the replacement");
        }
    }
}

static void gsub_add(lua_State *lua, luaL_Buffer *out, struct span subject,
                     const struct pattern_match *m, int type)
{
    script_charge(script_of(lua), 10);
    if (type != LUA_TTABLE && type != LUA_TFUNCTION) {
        gsub_add_text(lua, out, subject, m);
        return;
    }
    if (type == LUA_TFUNCTION) {
        lua_pushvalue(lua, 3);
        lua_call(lua, push_captures(lua, subject, m, true), 1);
    } else {
        push_capture(lua, subject, m, 0);
        lua_gettable(lua, 3);
    }
    if (!lua_toboolean(lua, -1)) {
        lua_pop(lua, 1);
        luaL_addlstring(out, subject.data + m->at, m->end - m->at);
        return;
    }
    if (!lua_isstring(lua, -1))
        (void)luaL_error(lua, "a replacement is a string or a number");
    luaL_addvalue(out);
}

static int string_gsub(lua_State *lua)
{
    struct span subject = span_arg(lua, 1), pattern = span_arg(lua, 2);
    int type = lua_type(lua, 3);
    luaL_argexpected(lua,
                     type == LUA_TSTRING || type == LUA_TNUMBER || type == LUA_TTABLE ||
                         type == LUA_TFUNCTION,
                     3, "string/function/table");
    lua_Integer max = luaL_optinteger(lua, 4, (lua_Integer)subject.size + 1), count = 0;
    bool is_anchored = pattern.size && pattern.data[0] == '^';
    size_t from = 0, copied = 0, last = (size_t)-1;
    struct pattern_match m;
    luaL_Buffer out;
    luaL_buffinit(lua, &out);
    while (count < max && from <= subject.size &&
           search(lua, subject, pattern, from, false, &m)) {
        if (m.end != last || m.end != m.at) {
            luaL_addlstring(&out, subject.data + copied, m.at - copied);
            gsub_add(lua, &out, subject, &m, type);
            copied = last = m.end;
            count++;
        }
        from = m.end > m.at ? m.end : m.end + 1;
        if (is_anchored)
            break;
    }
    luaL_addlstring(&out, subject.data + copied, subject.size - copied);
    luaL_pushresult(&out);
    lua_pushinteger(lua, count);
    return 2;
}

/* Lua's own goes through all copies even where they are empty. */
static int string_rep(lua_State *lua)
{
    lua_Integer count = luaL_checkinteger(lua, 2);
    luaL_argcheck(lua, count <= REPEAT_MAX, 2, "more than a million copies");
    script_charge(script_of(lua), count > 0 ? count / 4 + 1 : 1);
    int arguments = lua_gettop(lua);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, arguments, 1);
    return 1;
}

void script_add_strings(lua_State *lua)
{
    static const char *const removed[] = { "dump", "pack", "packsize", "unpack" };
    static const luaL_Reg functions[] = { { "find", string_find },
                                          { "match", string_match },
                                          { "gmatch", string_gmatch },
                                          { "gsub", string_gsub } };
    luaL_requiref(lua, LUA_STRLIBNAME, luaopen_string, 1);
    for (size_t i = 0; i < COUNT_OF(removed); i++) {
        lua_pushnil(lua);
        lua_setfield(lua, -2, removed[i]);
    }
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        lua_pushcfunction(lua, functions[i].func);
        lua_setfield(lua, -2, functions[i].name);
    }
    lua_getfield(lua, -1, "rep");
    lua_pushcclosure(lua, string_rep, 1);
    lua_setfield(lua, -2, "rep");
    /* All strings share it. */
    lua_pushliteral(lua, "");
    lua_getmetatable(lua, -1);
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 3);
}
