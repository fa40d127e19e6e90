/* SPDX-License-Identifier: Apache-2.0 */
/* script_base - Lua's basic functions, without those that lead out of the budget. */
#include "plugin/lua/script_state.h"

/* A finalizer runs without the hook: it could run for ever.  A metatable works
 * as one only where __gc is in it at this moment. */
static int set_metatable(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    luaL_argexpected(lua, lua_isnoneornil(lua, 2) || lua_istable(lua, 2), 2,
                     "nil or table");
    if (luaL_getmetafield(lua, 1, "__metatable") != LUA_TNIL)
        return luaL_error(lua, "cannot change a protected metatable");
    if (lua_istable(lua, 2)) {
        static const char *const refused[] = { "__gc", "__close", "__mode" };
        for (size_t i = 0; i < COUNT_OF(refused); i++) {
            lua_pushstring(lua, refused[i]);
            if (lua_rawget(lua, 2) != LUA_TNIL)
                return luaL_error(lua, "a metatable of a plugin has no %s", refused[i]);
            lua_pop(lua, 1);
        }
    }
    lua_settop(lua, 2);
    lua_setmetatable(lua, 1);
    return 1;
}

static int print_note(lua_State *lua)
{
    struct script *s = script_of(lua);
    size_t size = 0;
    const char *text = luaL_tolstring(lua, 1, &size);
    char note[256];
    if (size > sizeof note)
        size = sizeof note;
    for (size_t i = 0; i < size; i++)
        note[i] = text[i] >= 0x20 && text[i] < 0x7F ? text[i] : '?';
    script_charge(s, 50);
    struct frame *frame =
        s->yields < SCRIPT_YIELDS_MAX ? s->out.frame_fn(s->out.arg, size + 32) : NULL;
    s->yields++;
    if (!frame) {
        s->dropped++;
        return 0;
    }
    size_t begin = frame_begin(frame, FRAME_NOTE, s->index);
    frame_put_text(frame, (struct span){ note, size });
    (void)frame_end(frame, begin);
    return 0;
}

void script_add_base(lua_State *lua)
{
    /* xpcall: its handler runs inside of the hook, where no hook stops it. */
    static const char *const removed[] = { "collectgarbage", "dofile", "load",
                                           "loadfile",       "warn",   "xpcall" };
    luaL_requiref(lua, LUA_GNAME, luaopen_base, 1);
    for (size_t i = 0; i < COUNT_OF(removed); i++) {
        lua_pushnil(lua);
        lua_setfield(lua, -2, removed[i]);
    }
    lua_pushcfunction(lua, set_metatable);
    lua_setfield(lua, -2, "setmetatable");
    lua_pushcfunction(lua, print_note);
    lua_setfield(lua, -2, "print");
    lua_pop(lua, 1);
}
