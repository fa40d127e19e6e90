/* SPDX-License-Identifier: Apache-2.0 */
/* script_budget - how much a script may compute and hold, and its end where it wants
 * more. */
#include "plugin/lua/script_state.h"

#include <stdlib.h>

#define HOOK_EVERY 1000
#define MEMORY_HITS_MAX 16
/* Copying and comparing happen in C: a byte that is allocated costs, too. */
#define BYTES_PER_INSTRUCTION 32

struct script *script_of(lua_State *lua)
{
    return *(struct script **)lua_getextraspace(lua);
}

static void on_count(lua_State *lua, lua_Debug *debug)
{
    struct script *s = script_of(lua);
    (void)debug;
    if (s->over == FRAME_FINE) {
        s->left -= HOOK_EVERY;
        if (s->left > 0)
            return;
        script_end(s, FRAME_OVER_INSTRUCTIONS);
    }
    (void)luaL_error(lua, "%s", frame_outcome_name((enum frame_outcome)s->over));
}

void script_end(struct script *s, enum frame_outcome why)
{
    if (s->over == FRAME_FINE)
        s->over = (int)why;
    lua_sethook(s->lua, on_count, LUA_MASKCOUNT, 1);
}

void script_charge(struct script *s, int64_t count)
{
    s->left -= count;
    if (s->left <= 0)
        script_end(s, FRAME_OVER_INSTRUCTIONS);
    if (s->over != FRAME_FINE)
        (void)luaL_error(s->lua, "%s", frame_outcome_name((enum frame_outcome)s->over));
}

void script_stop(struct script *s)
{
    if (!s->is_running)
        return;
    if (s->over == FRAME_FINE)
        s->over = FRAME_OVER_TIME;
    lua_sethook(s->lua, on_count, LUA_MASKCOUNT, 1);
}

void script_begin(struct script *s)
{
    lua_sethook(s->lua, on_count, LUA_MASKCOUNT, HOOK_EVERY);
    s->is_running = true;
}

/* Freeing always succeeds; nothing may be raised here. */
void *script_allocate(void *arg, void *old, size_t old_size, size_t size)
{
    struct script *s = arg;
    if (!old)
        old_size = 0; /* it is a kind of object then */
    if (size == 0) {
        free(old);
        s->memory -= old_size;
        return NULL;
    }
    if (size > old_size) {
        if (s->is_running)
            s->left -= (int64_t)(size / BYTES_PER_INSTRUCTION);
        if (s->memory + (size - old_size) > s->limits.memory_bytes) {
            if (s->is_running && ++s->memory_hits >= MEMORY_HITS_MAX)
                script_end(s, FRAME_OVER_MEMORY);
            return NULL;
        }
    }
    void *new = realloc(old, size);
    if (!new &&size <= old_size)
        return old; /* smaller fits where it is */
    if (new) {
        s->memory = s->memory - old_size + size;
        if (s->memory > s->peak)
            s->peak = s->memory;
    }
    return new;
}
