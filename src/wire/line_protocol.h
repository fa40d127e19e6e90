/* SPDX-License-Identifier: Apache-2.0 */
/* line_protocol - InfluxDB's line protocol, read in place.
 *
 *     measurement[,tag=value...] field=value[,field=value...] [time]
 *     └────────── key ─────────┘
 *
 * A reader goes over a buffer that the caller owns and hands out one line at a time as
 * spans into it: nothing is copied, nothing is allocated.  Names and values stand as
 * they were sent, escapes and all; line_value.h undoes them where a flag says that
 * there are any.  A bad line costs that line.
 *
 * Source   the grammar of InfluxDB 2; doc/formats/line-protocol.md has the differences.
 * Threads  none inside: a reader belongs to one thread at a time.
 */
#ifndef WIRE_LINE_PROTOCOL_H
#define WIRE_LINE_PROTOCOL_H

#include "base/span_type.h"

#include <stdint.h>

#define LINE_BYTES_MAX 65536 /* a line beyond this is a bad line */
#define LINE_TAGS_MAX 255    /* as InfluxDB has it */
#define LINE_FIELDS_MAX 256
#define LINE_TIME_CHARS 24

/* What a time counts in. */
#define LINE_UNIT_AUTO 0 /* decided by its size, as ClusterCockpit does */

enum line_field_type {
    LINE_FLOAT,
    LINE_INT,
    LINE_UINT,
    LINE_BOOL,
    LINE_STRING,
};

struct line_tag {
    struct span key;
    struct span value;
};

struct line_field {
    struct span key;
    enum line_field_type type;
    union {
        double number;
        int64_t integer;
        uint64_t uinteger;
        bool boolean;
        struct span string; /* between the quotes, escapes undone by no one */
    };
};

struct line_point {
    uint64_t line;    /* from 1 */
    struct span key;  /* measurement and tags, as sent: what a series is known by */
    struct span name; /* the measurement */
    const struct line_tag *tags;
    const struct line_field *fields;
    size_t tag_count;
    size_t field_count;
    int64_t t_ns;
    bool has_time;   /* else t_ns is the reader's default */
    bool is_escaped; /* some name or tag value needs token_unescape() */
    bool is_known;   /* reader->known knew the key: name and tags are empty */
};

/* Whether text begins with a key that was read before, and the blank behind it: its
 * size, or 0.  The key is not read again: the caller is trusted. */
typedef size_t line_known_fn(void *arg, struct span text);

struct line_fault {
    uint64_t line;   /* from 1 */
    uint64_t column; /* bytes from 1 */
    const char *reason;
    struct span text; /* the line with its line end; valid until the next call */
};

enum line_outcome {
    LINE_END,   /* nothing is left */
    LINE_POINT, /* *point is filled, valid until the next call */
    LINE_FAULT, /* this line is lost; reader->fault says why */
    LINE_MORE,  /* the rest is no whole line: see line_reader_refill() */
};

struct line_reader {
    const char *next; /* where the next line begins */
    const char *end;
    bool has_more;  /* the text goes on after end */
    bool is_losing; /* the text begins within a bad line */
    uint64_t line;  /* of next */
    int64_t unit_ns;
    int64_t default_ns;
    struct line_fault fault;
    line_known_fn *known; /* NULL: every key is read */
    void *known_arg;
    /* The time of the line before, as it was sent: most lines have the same. */
    char time_text[LINE_TIME_CHARS];
    size_t time_size; /* 0: there is none */
    int64_t time_ns;
    struct line_tag tags[LINE_TAGS_MAX];
    struct line_field fields[LINE_FIELDS_MAX];
};

/* Read text.  unit_ns is 1, 1000, 1000000, 1000000000 or LINE_UNIT_AUTO; default_ns is
 * the time of lines that have none, cut to the unit. */
void line_reader_init(struct line_reader *reader, struct span text, int64_t unit_ns,
                      int64_t default_ns);

/* The same text goes on: text begins with the unread rest (reader->next .. end) and is
 * the last piece unless has_more is set afterwards.  Line numbers go on. */
void line_reader_refill(struct line_reader *reader, struct span text);

enum line_outcome line_reader_next(struct line_reader *reader,
                                   struct line_point *point);

#endif
