/* SPDX-License-Identifier: Apache-2.0 */
/* script - one Lua plugin: a state of its own, within a budget. */
#include "plugin/lua/script_state.h"

#include "base/number.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- a state ---- */

static int script_prepare(lua_State *lua)
{
    script_add_base(lua);
    script_add_strings(lua);
    script_add_tables(lua);
    luaL_requiref(lua, LUA_MATHLIBNAME, luaopen_math, 1);
    lua_settop(lua, 0);
    script_add_api(lua);
    return 0;
}

int script_new(const struct script_limits *limits, uint16_t index,
               const struct script_out *out, struct script **ret)
{
    AUTO(script_free) struct script *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->limits = *limits;
    s->index = index;
    s->out = *out;
    s->text = malloc(FRAME_BYTES_MAX);
    s->lua = s->text ? lua_newstate(script_allocate, s) : NULL;
    if (!s->lua)
        return -ENOMEM;
    *(struct script **)lua_getextraspace(s->lua) = s;
    lua_pushcfunction(s->lua, script_prepare);
    if (lua_pcall(s->lua, 0, 0, 0) != LUA_OK)
        return -ENOMEM;
    *ret = TAKE(s);
    return 0;
}

static void files_close(struct script *s)
{
    for (size_t i = 0; i < s->file_count; i++)
        (void)close(s->files[i].fd);
    s->file_count = 0;
}

void script_free(struct script *s)
{
    if (!s)
        return;
    files_close(s);
    if (s->lua)
        lua_close(s->lua);
    free(s->text);
    free(s);
}

void script_set_files(struct script *s, const struct script_file *files, size_t count)
{
    files_close(s);
    for (size_t i = 0; i < count; i++) {
        struct script_path *file = &s->files[s->file_count];
        if (s->file_count == COUNT_OF(s->files) ||
            strlen(files[i].path) >= sizeof file->path) {
            (void)close(files[i].fd);
            continue;
        }
        memcpy(file->path, files[i].path, strlen(files[i].path) + 1);
        file->fd = files[i].fd;
        s->file_count++;
    }
}

/* ---- calls ---- */

/* Its text only where it is one: what an error object's metamethods do is not our
 * concern any more. */
static void result_of(struct script *s, int status, struct script_result *ret)
{
    *ret = (struct script_result){ 0 };
    ret->instructions = s->limits.instructions - s->left;
    ret->memory_peak = s->peak;
    ret->outcome = (enum frame_outcome)s->over;
    if (status == LUA_OK && s->over == FRAME_FINE)
        return;
    if (s->over == FRAME_FINE)
        ret->outcome = status == LUA_ERRMEM ? FRAME_OVER_MEMORY : FRAME_FAILED;
    const char *text = status != LUA_OK && lua_type(s->lua, -1) == LUA_TSTRING
                           ? lua_tostring(s->lua, -1)
                           : frame_outcome_name(ret->outcome);
    size_t size = 0;
    for (; size < sizeof ret->text - 1 && text[size]; size++)
        ret->text[size] = text[size] >= 0x20 && text[size] < 0x7F ? text[size] : '?';
    ret->text[size] = '\0';
}

static int script_run(struct script *s, int arguments, struct script_result *ret)
{
    s->left = s->limits.instructions;
    s->over = FRAME_FINE;
    s->memory_hits = 0;
    s->peak = s->memory;
    s->yields = s->dropped = 0;
    script_begin(s);
    int status = lua_pcall(s->lua, arguments, 0, 0);
    s->is_running = false;
    lua_sethook(s->lua, NULL, 0, 0);
    result_of(s, status, ret);
    lua_settop(s->lua, 0);
    return status == LUA_OK && s->over == FRAME_FINE ? 0 : -EINVAL;
}

/* Which of them it has; a metatable of _G has no part in it. */
static int find_functions(lua_State *lua)
{
    struct script *s = script_of(lua);
    lua_pushglobaltable(lua);
    for (unsigned i = 0; i < PLUGIN_FUNCTION_COUNT; i++) {
        lua_pushstring(lua, plugin_function_name((enum plugin_function)i));
        if (lua_rawget(lua, 1) == LUA_TFUNCTION)
            s->manifest.functions |= 1U << i;
        lua_settop(lua, 1);
    }
    return 0;
}

int script_load(struct script *s, struct span text,
                struct plugin_manifest *ret_manifest, struct script_result *ret,
                struct err *err)
{
    s->is_loading = true;
    s->left = s->limits.instructions;
    int status = luaL_loadbufferx(s->lua, text.data, text.size, "=plugin",
                                  "t"); /* no bytecode */
    if (status != LUA_OK) {
        result_of(s, status, ret);
        lua_settop(s->lua, 0);
        return err_set(err, EINVAL, "%s", ret->text);
    }
    int rc = script_run(s, 0, ret);
    s->is_loading = false;
    if (rc < 0)
        return err_set(err, ret->outcome == FRAME_FAILED ? EINVAL : E2BIG, "%s",
                       ret->text);
    if (!s->has_manifest)
        return err_set(err, EINVAL, "it does not call plugin{...}");
    lua_pushcfunction(s->lua, find_functions);
    rc = script_run(s, 0, ret);
    if (rc < 0)
        return err_set(err, E2BIG, "%s", ret->text);
    rc = plugin_manifest_check(&s->manifest, err);
    if (rc == 0)
        *ret_manifest = s->manifest;
    return rc;
}

static void set_number(lua_State *lua, const char *name, double value)
{
    lua_pushnumber(lua, value);
    lua_setfield(lua, -2, name);
}

static void push_input(lua_State *lua, const struct script_input *input)
{
    lua_createtable(lua, 0, 3);
    lua_pushlstring(lua, input->name.data, input->name.size);
    lua_setfield(lua, -2, "name");
    lua_pushlstring(lua, input->from.data, input->from.size);
    lua_setfield(lua, -2, "from");
    if (input->is_text) {
        lua_pushlstring(lua, input->text.data, input->text.size);
        lua_setfield(lua, -2, "value");
    } else {
        set_number(lua, "value", input->value);
    }
}

/* Other nodes sent them: they cost the plugin no instructions. */
static void push_inputs(lua_State *lua, struct script *s)
{
    const int64_t left = s->left;
    lua_createtable(lua, (int)s->call->input_count, 0);
    for (size_t i = 0; i < s->call->input_count; i++) {
        push_input(lua, &s->call->inputs[i]);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    s->left = left;
    s->memory_hits = 0;
}

/* Everything that allocates happens in here, where it may fail. */
static int script_enter(lua_State *lua)
{
    struct script *s = script_of(lua);
    const struct script_call *call = s->call;
    lua_settop(lua, 0);
    if (lua_getglobal(lua, plugin_function_name(call->function)) != LUA_TFUNCTION)
        return luaL_error(lua, "there is no function %s",
                          plugin_function_name(call->function));
    lua_createtable(lua, 0, 2);
    lua_pushinteger(lua, (lua_Integer)call->epoch);
    lua_setfield(lua, -2, "epoch");
    set_number(lua, "time", (double)call->t_ns / (double)NS_PER_S);
    if (call->function != PLUGIN_SOURCE)
        push_inputs(lua, s);
    lua_call(lua, lua_gettop(lua) - 1, 0);
    return 0;
}

void script_call(struct script *s, const struct script_call *call,
                 struct script_result *ret)
{
    s->call = call;
    lua_pushcfunction(s->lua, script_enter);
    (void)script_run(s, 0, ret);
    s->call = NULL;
}

uint32_t script_dropped(const struct script *s)
{
    return s->dropped;
}
