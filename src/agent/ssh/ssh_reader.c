/* SPDX-License-Identifier: Apache-2.0 */
/* ssh_reader - the text of baro-ssh-read as it comes, observed. */
#include "agent/ssh/ssh_reader.h"

#include "agent/target_list.h"
#include "base/number.h"
#include "base/span.h"
#include "observe/observe.h"
#include "source/lustre/lustre.h"

#define GENERATIONS_MAX 1000000
#define PRELUDE_MAX ((size_t)1 << 20) /* lines of targets: about 60 bytes each */
#define TARGETS_MAX 1024

struct ssh_reader {
    const char *server;
    ssh_row_fn *fn;
    void *arg;
    struct observe *observe;
    struct jobstats_parser *parser;
    /* Of the round under way: */
    int64_t t_ms;
    bool has_list;
    struct strbuf prelude;       /* the lines of the list, until it is whole */
    struct observe_target *open; /* its round is open */
};

/* ---- rows ---- */

static int on_ssh_row(void *arg, const struct entry *entry,
                      const struct observation *seen)
{
    const struct ssh_reader *reader = arg;
    return reader->fn(reader->arg, span_of(reader->server), entry, seen);
}

static int close_open_round(struct ssh_reader *reader, bool is_whole)
{
    struct observe_target *target = TAKE(reader->open);
    if (!target)
        return 0;
    return is_whole ? observe_round_end(target) : observe_round_cut(target);
}

static int on_ssh_entry(void *arg, const struct entry *entry)
{
    struct ssh_reader *reader = arg;
    if (!reader->open || !span_eq(observe_target_name(reader->open), entry->target)) {
        int rc = close_open_round(reader, true);
        if (rc < 0)
            return rc;
        struct observe_target *next =
            observe_target_find(reader->observe, entry->target);
        if (!next || !observe_target_is_there(next))
            return 0; /* it was not listed */
        rc = observe_round_begin(next, reader->t_ms, on_ssh_row, reader);
        if (rc < 0)
            return rc;
        reader->open = next;
    }
    return observe_entry(reader->open, entry);
}

/* ---- the list of targets ---- */

static int ssh_list(struct ssh_reader *reader, struct span lines)
{
    AUTO_FREE struct observe_listed *listed = calloc(TARGETS_MAX, sizeof *listed);
    size_t count = 0;
    struct span rest = lines, line;
    if (!listed)
        return -ENOMEM;
    while (rest.size && count < TARGETS_MAX) {
        (void)span_cut(&rest, '\n', &line);
        count += target_cleanup_name(line, &listed[count]) == 0;
    }
    if (count == 0)
        return -ENODEV;
    int rc = observe_list(reader->observe, reader->t_ms, listed, count);
    /* Where an interval cannot be read, Lustre's default holds. */
    for (size_t i = 0; rc == 0 && i < count; i++)
        observe_target_set_cleanup(observe_target_find(reader->observe, listed[i].name),
                                   OBSERVE_CLEANUP_DEFAULT_MS);
    if (rc == 0)
        target_cleanup_apply(lines, reader->observe, NULL, NULL);
    return rc;
}

/* Gather the first lines until one that names no target is whole. */
static int feed_prelude(struct ssh_reader *reader, struct span text)
{
    strbuf_add_span(&reader->prelude, text);
    struct span rest = strbuf_span(&reader->prelude), line;
    size_t listed_size = 0;
    while (memchr(rest.data, '\n', rest.size)) {
        struct observe_listed listed;
        (void)span_cut(&rest, '\n', &line);
        if (target_cleanup_name(line, &listed) == 0) {
            listed_size = (size_t)(rest.data - reader->prelude.data);
            continue;
        }
        reader->has_list = true;
        int rc = ssh_list(reader, (struct span){ reader->prelude.data, listed_size });
        return rc < 0 ? rc
                      : jobstats_parser_feed(reader->parser,
                                             reader->prelude.data + listed_size,
                                             reader->prelude.size - listed_size);
    }
    if (reader->prelude.size > PRELUDE_MAX)
        return -EMSGSIZE;
    return strbuf_error(&reader->prelude);
}

/* ---- a round ---- */

void ssh_reader_begin(struct ssh_reader *reader, int64_t t_ms)
{
    reader->t_ms = t_ms;
    reader->has_list = false;
    strbuf_clear(&reader->prelude);
    jobstats_parser_begin(reader->parser, SPAN(""), TARGET_OST);
}

int ssh_reader_feed(struct ssh_reader *reader, struct span text)
{
    return reader->has_list ? jobstats_parser_feed(reader->parser, text.data, text.size)
                            : feed_prelude(reader, text);
}

/* Targets that printed nothing were observed too. */
static int observe_silent(struct ssh_reader *reader)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < observe_target_count(reader->observe); i++) {
        struct observe_target *target = observe_target_at(reader->observe, i);
        if (!observe_target_is_there(target) ||
            observe_target_round_ms(target) >= reader->t_ms)
            continue;
        rc = observe_round_begin(target, reader->t_ms, on_ssh_row, reader);
        if (rc == 0)
            rc = observe_round_end(target);
    }
    return rc;
}

int ssh_reader_end(struct ssh_reader *reader, bool is_whole)
{
    int rc = 0;
    if (is_whole && !reader->has_list) {
        reader->has_list = true;
        rc = ssh_list(reader, strbuf_span(&reader->prelude));
    }
    if (is_whole && rc == 0)
        rc = jobstats_parser_finish(reader->parser);
    int closed = close_open_round(reader, is_whole && rc == 0);
    rc = rc < 0 ? rc : closed;
    return is_whole && rc == 0 ? observe_silent(reader) : rc;
}

size_t ssh_reader_target_count(const struct ssh_reader *reader)
{
    size_t count = 0;
    for (size_t i = 0; i < observe_target_count(reader->observe); i++)
        count += observe_target_is_there(observe_target_at(reader->observe, i));
    return count;
}

/* ---- making ---- */

int ssh_reader_new(const char *server, int64_t interval_ms, ssh_row_fn *fn, void *arg,
                   struct ssh_reader **ret)
{
    AUTO(ssh_reader_free) struct ssh_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return -ENOMEM;
    reader->server = server;
    reader->fn = fn;
    reader->arg = arg;
    const struct observe_opts observe = { .interval_ms = interval_ms,
                                          .generations_max = GENERATIONS_MAX };
    int rc = observe_new(&observe, &reader->observe);
    if (rc == 0)
        rc = jobstats_parser_new(on_ssh_entry, NULL, reader, &reader->parser);
    if (rc < 0)
        return rc;
    *ret = TAKE(reader);
    return 0;
}

void ssh_reader_free(struct ssh_reader *reader)
{
    if (!reader)
        return;
    jobstats_parser_free(reader->parser);
    observe_free(reader->observe);
    strbuf_done(&reader->prelude);
    free(reader);
}
