/* SPDX-License-Identifier: Apache-2.0 */
/* script_table - Lua's functions for tables, with ranges that are there.
 *
 * In C they go through as many elements as __len or an argument states, and no
 * instruction is counted: these accept tables without a metatable, ranges of at most
 * RANGE_MAX, and charge for them; then Lua's own function does the work.
 */
#include "plugin/lua/script_state.h"

#define RANGE_MAX 100000

static void check_table(lua_State *lua, int index)
{
    luaL_checktype(lua, index, LUA_TTABLE);
    if (lua_getmetatable(lua, index))
        (void)luaL_argerror(lua, index, "a table without a metatable is wanted");
}

static void charge_range(lua_State *lua, lua_Integer first, lua_Integer last)
{
    if (last < first)
        return;
    lua_Unsigned count = (lua_Unsigned)last - (lua_Unsigned)first;
    if (count >= RANGE_MAX)
        (void)luaL_error(lua, "more than %d elements", RANGE_MAX);
    script_charge(script_of(lua), (int64_t)count / 4 + 1);
}

/* Lua's own function, which is the upvalue. */
static int call_original(lua_State *lua)
{
    int count = lua_gettop(lua);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, count, LUA_MULTRET);
    return lua_gettop(lua);
}

/* insert, remove: all behind the position moves. */
static int table_shift(lua_State *lua)
{
    check_table(lua, 1);
    charge_range(lua, 1, (lua_Integer)lua_rawlen(lua, 1));
    return call_original(lua);
}

static int table_sort(lua_State *lua)
{
    check_table(lua, 1);
    lua_Integer count = (lua_Integer)lua_rawlen(lua, 1);
    charge_range(lua, 1, count);
    script_charge(script_of(lua), count * 16);
    return call_original(lua);
}

static int table_concat(lua_State *lua)
{
    check_table(lua, 1);
    charge_range(lua, luaL_optinteger(lua, 3, 1),
                 luaL_optinteger(lua, 4, (lua_Integer)lua_rawlen(lua, 1)));
    return call_original(lua);
}

static int table_unpack(lua_State *lua)
{
    check_table(lua, 1);
    charge_range(lua, luaL_optinteger(lua, 2, 1),
                 luaL_optinteger(lua, 3, (lua_Integer)lua_rawlen(lua, 1)));
    return call_original(lua);
}

static int table_pack(lua_State *lua)
{
    return call_original(lua);
}

void script_add_tables(lua_State *lua)
{
    static const luaL_Reg functions[] = {
        { "insert", table_shift },  { "remove", table_shift },  { "sort", table_sort },
        { "concat", table_concat }, { "unpack", table_unpack }, { "pack", table_pack },
    };
    luaL_requiref(lua, LUA_TABLIBNAME, luaopen_table, 0);
    lua_createtable(lua, 0, COUNT_OF(functions));
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        lua_getfield(lua, -2, functions[i].name);
        lua_pushcclosure(lua, functions[i].func, 1);
        lua_setfield(lua, -2, functions[i].name);
    }
    lua_setglobal(lua, LUA_TABLIBNAME);
    lua_pop(lua, 1);
}
