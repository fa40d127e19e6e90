/* SPDX-License-Identifier: Apache-2.0 */
/* script_state - a script from inside: what its functions in C share. */
#ifndef PLUGIN_LUA_SCRIPT_STATE_H
#define PLUGIN_LUA_SCRIPT_STATE_H

#include "plugin/lua/script.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#define SCRIPT_YIELDS_MAX 4096 /* records of one call */

struct script_path {
    char path[PLUGIN_READ_MAX + 128];
    int fd;
};

struct script {
    lua_State *lua;
    struct script_limits limits;
    struct script_out out;
    uint16_t index;
    int64_t left; /* instructions of this call */
    size_t memory, peak;
    unsigned memory_hits;
    volatile int over; /* enum frame_outcome; FRAME_FINE: within the budget */
    bool is_loading;
    volatile bool is_running;
    struct plugin_manifest manifest;
    bool has_manifest;
    struct script_path files[FRAME_FILES_MAX];
    size_t file_count;
    uint32_t yields, dropped;
    const struct script_call *call;
    uint8_t *text; /* what read() reads into */
};

struct script *script_of(lua_State *lua);
/* So many instructions more are used; raises the error where none are left. */
void script_charge(struct script *script, int64_t count);
/* From here on each instruction raises the error. */
void script_end(struct script *script, enum frame_outcome why);

/* A call begins: its instructions are counted. */
void script_begin(struct script *script);
/* The lua_Alloc of a state; arg: its script. */
void *script_allocate(void *arg, void *old, size_t old_size, size_t size);

void script_add_base(lua_State *lua);    /* print, setmetatable, what is removed */
void script_add_strings(lua_State *lua); /* string, with bounded patterns */
void script_add_tables(lua_State *lua);  /* table, with bounded ranges */
void script_add_api(lua_State *lua);     /* plugin, read, files, sample, event ... */
/* The argument of plugin{...}; raises errors. */
void script_read_manifest(lua_State *lua, struct plugin_manifest *ret);

#endif
