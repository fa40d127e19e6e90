/* SPDX-License-Identifier: Apache-2.0 */
/* frame - the messages between an agent and the host process of Lua plugins.
 *
 *     a message (one packet of a unix socket, at most FRAME_BYTES_MAX):
 *     ┌──────────────────────┬─────────────┬──────────────────────┬────────┐
 *     │ type u8  0  plugin   │ length u32  │ payload              │ record │ ...
 *     │             u16      │             │                      │        │
 *     └──────────────────────┴─────────────┴──────────────────────┴────────┘
 *
 * Numbers are little endian; a text is its length as u16 and its bytes.  Both sides
 * read with bounds: of a reader that met an error all further fields are 0 or empty.
 */
#ifndef PLUGIN_PROTOCOL_FRAME_H
#define PLUGIN_PROTOCOL_FRAME_H

#include "base/span_type.h"

#include <stdint.h>

#define FRAME_BYTES_MAX 65536
#define FRAME_FILES_MAX 64 /* descriptors of one plugin */
#define FRAME_PROTOCOL 1
#define FRAME_SOURCE_MAX 60000 /* bytes of a plugin's text */

enum frame_type {
    /* To the host. */
    FRAME_LOAD = 1, /* u64 instructions, u32 memory, name, text of the plugin (rest) */
    FRAME_FILES,    /* u16 count, that many paths; the descriptors come beside it */
    FRAME_CALL,     /* u8 function, u8 flush, u64 epoch, i64 t_ns, u16 inputs, each:
                       name, from, u8 is_text, f64 value, text */
    FRAME_UNLOAD,
    FRAME_FINISH, /* u64 epoch: FRAME_END is wanted */
    /* From the host. */
    FRAME_HELLO = 65, /* u16 protocol, u32 walls */
    FRAME_MANIFEST,
    FRAME_SAMPLE,     /* u16 metric, f64 value, type, type-id, stype, stype-id */
    FRAME_EVENT,      /* u16 event, text */
    FRAME_CONTRIBUTE, /* u8 merge, f64 value, name, text */
    FRAME_HEALTH,     /* u16 health, u8 state, text */
    FRAME_NOTE,       /* text: print() */
    FRAME_DONE, /* u8 function (PLUGIN_FUNCTION_COUNT: load), u8 outcome, u64 epoch, u64
                   instructions, u64 memory peak, u64 cpu_ns, u32 dropped, text */
    FRAME_HUNG, /* the call that runs does not end: the host exits */
    FRAME_END,  /* u64 epoch */
};

enum frame_outcome {
    FRAME_FINE,
    FRAME_FAILED, /* an error of the plugin */
    FRAME_OVER_INSTRUCTIONS,
    FRAME_OVER_MEMORY,
    FRAME_OVER_TIME,
    FRAME_OUTCOME_COUNT,
};

enum frame_wall {
    FRAME_WALL_SECCOMP = 1,
    FRAME_WALL_LANDLOCK = 2,
    FRAME_WALL_NO_NEW_PRIVS = 4,
    FRAME_WALL_LIMITS = 8,
};

const char *frame_outcome_name(enum frame_outcome outcome);

/* ---- writing ---- */

struct frame {
    size_t size;
    bool is_full; /* a record did not fit: it is not in it */
    uint8_t data[FRAME_BYTES_MAX];
};

/* Begin a record; frame_end() sets its length.  Where it did not fit, frame_end()
 * removes it and returns false. */
size_t frame_begin(struct frame *frame, enum frame_type type, uint16_t plugin);
bool frame_end(struct frame *frame, size_t begin);
void frame_put_u8(struct frame *frame, uint8_t value);
void frame_put_u16(struct frame *frame, uint16_t value);
void frame_put_u32(struct frame *frame, uint32_t value);
void frame_put_u64(struct frame *frame, uint64_t value);
void frame_put_f64(struct frame *frame, double value);
void frame_put_text(struct frame *frame, struct span text); /* cut at 65535 bytes */
void frame_put_bytes(struct frame *frame, const void *data, size_t size);

/* ---- reading ---- */

struct frame_reader {
    const uint8_t *at, *end;
    bool is_bad;
};

struct frame_item {
    enum frame_type type;
    uint16_t plugin;
    struct frame_reader payload;
};

/* false: there are no more, or reader->is_bad. */
bool frame_next(struct frame_reader *reader, struct frame_item *ret);
uint8_t frame_get_u8(struct frame_reader *reader);
uint16_t frame_get_u16(struct frame_reader *reader);
uint32_t frame_get_u32(struct frame_reader *reader);
uint64_t frame_get_u64(struct frame_reader *reader);
double frame_get_f64(struct frame_reader *reader);
struct span frame_get_text(struct frame_reader *reader);
struct span frame_get_rest(struct frame_reader *reader);
/* Nothing is left, and nothing was bad. */
bool frame_is_done(const struct frame_reader *reader);

#endif
