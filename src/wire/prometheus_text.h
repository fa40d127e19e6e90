/* SPDX-License-Identifier: Apache-2.0 */
/* prometheus_text - what exporters print for Prometheus, read in place.
 *
 *     # HELP name words            passed over
 *     # TYPE name counter          says what the samples of this name are
 *     name{label="value",...} 12.5 [milliseconds]
 *     └──────── key ────────┘
 *
 * A reader goes over a whole text that the caller owns and hands out one sample at a
 * time as spans into it: nothing is copied, nothing is allocated.  Label values stand
 * as they were sent; label_unescape() undoes their escapes.  A bad line costs that
 * line.
 *
 * Source   text exposition format 0.0.4; doc/formats/scraping.md has the differences.
 * Threads  none inside: a reader belongs to one thread at a time.
 */
#ifndef WIRE_PROMETHEUS_TEXT_H
#define WIRE_PROMETHEUS_TEXT_H

#include "base/span_type.h"

#include <stdint.h>

#define PROMETHEUS_LINE_BYTES_MAX 65536 /* a line beyond this is a bad line */
#define PROMETHEUS_LABELS_MAX 64

struct prometheus_label {
    struct span name;
    struct span value; /* between the quotes */
};

struct prometheus_sample {
    uint64_t line;   /* from 1 */
    struct span key; /* name and labels, as sent: what a series is known by */
    struct span name;
    const struct prometheus_label *labels;
    size_t label_count;
    double value; /* NaN: the canonical one */
    int64_t t_ns;
    bool has_time;   /* else t_ns is the reader's default */
    bool is_counter; /* it only grows: a counter, or a part of a histogram or summary
                      * that does */
};

struct prometheus_fault {
    uint64_t line;   /* from 1 */
    uint64_t column; /* bytes from 1 */
    const char *reason;
};

enum prometheus_outcome {
    PROMETHEUS_END,    /* nothing is left */
    PROMETHEUS_SAMPLE, /* *sample is filled, valid until the next call */
    PROMETHEUS_FAULT,  /* this line is lost; reader->fault says why */
};

enum prometheus_type {
    PROMETHEUS_UNTYPED,
    PROMETHEUS_GAUGE,
    PROMETHEUS_COUNTER,
    PROMETHEUS_HISTOGRAM,
    PROMETHEUS_SUMMARY,
};

struct prometheus_reader {
    const char *next; /* where the next line begins */
    const char *end;
    uint64_t line; /* of next */
    int64_t default_ns;
    struct span family; /* of the last TYPE line */
    enum prometheus_type type;
    struct prometheus_fault fault;
    struct prometheus_label labels[PROMETHEUS_LABELS_MAX];
};

void prometheus_reader_init(struct prometheus_reader *reader, struct span text,
                            int64_t default_ns);

/* A last line without its line end is a fault: a text that was cut off may have lost
 * digits of its last number. */
enum prometheus_outcome prometheus_reader_next(struct prometheus_reader *reader,
                                               struct prometheus_sample *sample);

/* A label's value without its escapes (\\, \" and \n), into out of size s.size at
 * least; returns how many bytes. */
size_t label_unescape(struct span s, char *out);

#endif
