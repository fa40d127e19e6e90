/* SPDX-License-Identifier: Apache-2.0 */
/* stats - the totals of a server: text in, readings out. */
#include "source/lustre/stats.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>

struct read_state {
    const struct lustre_reader *reader;
    struct span name; /* of the file */
    uint64_t line;
    struct span heading, unit; /* of the part of brw_stats that is read */
};

static int give(struct read_state *state, const struct lustre_reading *reading)
{
    return state->reader->reading(state->reader->arg, reading);
}

static int refuse(struct read_state *state, struct span line)
{
    if (state->reader->fault)
        state->reader->fault(state->reader->arg, state->line, line);
    return 0;
}

/* The next word; size 0 at the end. */
static struct span stats_word(struct span *s)
{
    *s = span_trim(*s);
    size_t n = 0;
    while (n < s->size && s->data[n] != ' ' && s->data[n] != '\t')
        n++;
    struct span word = { s->data, n };
    *s = span_skip(*s, n);
    return word;
}

/* "snapshot_time:  1669010520.123456789 secs.nsecs", also "(secs.nsecs)", also without
 * the colon.  False: this is another line. */
static bool is_time(struct span line, struct lustre_reading *ret)
{
    static const char *const names[] = { "snapshot_time", "start_time",
                                         "elapsed_time" };
    struct span rest = line;
    struct span name = stats_word(&rest);
    if (span_ends(name, ":"))
        name.size--;
    size_t i = 0;
    while (i < COUNT_OF(names) && !span_is(name, names[i]))
        i++;
    if (i == COUNT_OF(names) || number_parse_seconds(stats_word(&rest), &ret->t_ns) < 0)
        return false;
    ret->name = name;
    ret->unit = SPAN("s");
    ret->has = READING_TIME;
    return true;
}

static bool is_error(struct span word, uint64_t *ret)
{
    return word.size == 0 || number_parse_u64(word, ret) < 0;
}

/* "read_bytes 9 samples [bytes] 98303 4194304 33554431": up to four numbers may follow
 * the unit. */
static int stats_line(struct read_state *state, struct span line)
{
    struct lustre_reading r = { 0 };
    if (is_time(line, &r))
        return give(state, &r);
    struct span rest = line;
    r.name = stats_word(&rest);
    struct span samples = stats_word(&rest);
    struct span word = stats_word(&rest);
    struct span unit = stats_word(&rest);
    if (is_error(samples, &r.samples) || !span_is(word, "samples") || unit.size < 2 ||
        *unit.data != '[' || !span_ends(unit, "]"))
        return refuse(state, line);
    r.has = READING_SAMPLES;
    r.unit = (struct span){ unit.data + 1, unit.size - 2 };
    uint64_t *const numbers[] = { &r.min, &r.max, &r.sum, &r.sumsq };
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        word = stats_word(&rest);
        if (word.size == 0)
            break;
        if (number_parse_u64(word, numbers[i]) < 0)
            return refuse(state, line);
        r.has |= READING_MIN << i;
    }
    return give(state, &r);
}

/* "pages per bulk r/w     rpcs  % cum % |  rpcs        % cum %" begins a part; the name
 * ends where two blanks stand. */
static bool is_heading(struct read_state *state, struct span line)
{
    const char *bar = memchr(line.data, '|', line.size);
    if (!bar || !memchr(line.data, '%', line.size))
        return false;
    size_t n = 0;
    while (n + 1 < line.size && !(line.data[n] == ' ' && line.data[n + 1] == ' '))
        n++;
    struct span rest = span_skip(line, n);
    /* A name that fills its column leaves one blank only: its last word is the unit. */
    if (n > 0 && (rest.size == 0 || memchr(line.data, '%', n)))
        return false;
    state->heading = span_trim((struct span){ line.data, n });
    state->unit = stats_word(&rest);
    return true;
}

static int brw_line(struct read_state *state, struct span line)
{
    struct lustre_reading r = { 0 };
    struct span rest = line, left, bucket;
    struct span first = span_trim(line);
    if (is_time(line, &r))
        return give(state, &r);
    /* "read | write" stands above each heading. */
    if (span_starts(first, "read ") && span_ends(first, "| write"))
        return 0;
    if (span_starts(first, "read") && span_ends(first, "write"))
        return 0;
    if (is_heading(state, line))
        return 0;
    if (!span_cut(&rest, ':', &bucket) || !span_cut(&rest, '|', &left))
        return refuse(state, line);
    r.name = state->heading;
    r.bucket = span_trim(bucket);
    r.unit = state->unit;
    if (is_error(stats_word(&left), &r.read) || is_error(stats_word(&rest), &r.write))
        return refuse(state, line);
    r.has = READING_READ | READING_WRITE;
    return give(state, &r);
}

static void set_word(struct lustre_reading *r, struct span word)
{
    r->text = word;
    r->has = READING_TEXT;
    if (number_parse_u64(word, &r->value) == 0)
        r->has = READING_VALUE;
}

/* "completed_clients: 128/128" */
static int field_line(struct read_state *state, struct span line)
{
    struct lustre_reading r = { 0 };
    struct span rest = line, name;
    if (!span_cut(&rest, ':', &name) || span_trim(name).size == 0)
        return refuse(state, line);
    r.name = span_trim(name);
    set_word(&r, span_trim(rest));
    return give(state, &r);
}

/* "current index: 34" or "current_index: 34", a heading, "cl2   34 (28)"; behind it a
 * mask may follow, of which nothing is reported. */
static int changelog_line(struct read_state *state, struct span line)
{
    struct lustre_reading r = { .has = READING_VALUE };
    struct span rest = line, word = stats_word(&rest);
    if (span_is(word, "ID"))
        return 0;
    if (span_is(word, "current_index:") ||
        (span_is(word, "current") && span_is(stats_word(&rest), "index:"))) {
        r.name = SPAN("current index");
    } else {
        r.name = SPAN("index");
        r.bucket = word;
    }
    r.text = stats_word(&rest);
    if (is_error(r.text, &r.value))
        return refuse(state, line);
    word = stats_word(&rest);
    if (span_starts(word, "(")) {
        word = span_skip(word, 1);
        word.size -= span_ends(word, ")");
        if (number_parse_seconds(word, &r.t_ns) < 0)
            return refuse(state, line);
        r.has |= READING_TIME;
    }
    return give(state, &r);
}

/* "device scratch-OST0001 reported unhealthy", "NOT HEALTHY", "LBUG" */
static int health_line(struct read_state *state, struct span line)
{
    struct lustre_reading r = { .name = state->name, .has = READING_TEXT };
    struct span rest = line;
    r.text = span_trim(line);
    if (span_is(stats_word(&rest), "device")) {
        r.bucket = stats_word(&rest);
        if (!span_is(stats_word(&rest), "reported"))
            return refuse(state, line);
        r.text = span_trim(rest);
    }
    return r.text.size > 0 ? give(state, &r) : refuse(state, line);
}

static int do_line(struct read_state *state, enum lustre_file_form form,
                   struct span line)
{
    switch (form) {
    case LUSTRE_FILE_STATS:
        return stats_line(state, line);
    case LUSTRE_FILE_BRW:
        return brw_line(state, line);
    case LUSTRE_FILE_FIELDS:
        return field_line(state, line);
    case LUSTRE_FILE_CHANGELOG:
        return changelog_line(state, line);
    case LUSTRE_FILE_HEALTH:
        return health_line(state, line);
    case LUSTRE_FILE_WORD:
        break;
    }
    return refuse(state, line);
}

int lustre_read_text(enum lustre_file_form form, struct span name, struct span text,
                     const struct lustre_reader *reader)
{
    struct read_state state = { .reader = reader, .name = name };
    if (form == LUSTRE_FILE_WORD) {
        struct lustre_reading r = { .name = name };
        state.line = 1;
        struct span word = span_trim(text);
        if (word.size == 0 || memchr(word.data, '\n', word.size))
            return refuse(&state, word);
        set_word(&r, word);
        return give(&state, &r);
    }
    while (text.size > 0) {
        struct span line;
        (void)span_cut(&text, '\n', &line);
        state.line++;
        if (span_trim(line).size == 0)
            continue;
        int rc = do_line(&state, form, line);
        if (rc < 0)
            return rc;
    }
    return 0;
}
