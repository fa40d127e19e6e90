/* SPDX-License-Identifier: Apache-2.0 */
/* where - what is mounted on this node. */
#include "dataset/mount/where.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "dataset/visit/visit.h"
#include "model/model.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WHERE_WAIT_S 10 /* for each response of the agent */

#define LIST_BYTES_MAX ((size_t)256 << 20)

enum {
    WHERE_JOB,
    WHERE_USER,
    WHERE_DATASET,
    WHERE_DIGEST,
    WHERE_PATH,
    WHERE_OPTIONS,
    WHERE_COMMAND
};

struct uses {
    struct arena arena;
    struct job_dataset *items;
    size_t count;
};

static void uses_done(struct uses *uses)
{
    arena_done(&uses->arena);
    free(uses->items);
}
DEFINE_AUTO_DONE(struct uses, uses_done);

/* An empty line is the last one. */
static bool has_last_line(const struct strbuf *list)
{
    return (list->size == 1 && list->data[0] == '\n') ||
           (list->size > 1 && memcmp(list->data + list->size - 2, "\n\n", 2) == 0);
}

static int list_read(int fd, struct strbuf *out, struct err *err)
{
    char piece[65536];
    while (!has_last_line(out)) {
        ssize_t size = out->size < LIST_BYTES_MAX ? read(fd, piece, sizeof piece) : 0;
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return err_set(err, size < 0 ? errno : EBADMSG, "the list of the agent: %s",
                           size < 0 ? strerror(errno) : "it has no end");
        strbuf_add(out, piece, (size_t)size);
        if (strbuf_error(out) < 0)
            return strbuf_error(out);
    }
    out->size--;
    return 0;
}

static int uses_add(struct uses *uses, struct span line, struct err *err)
{
    if ((uses->count & (uses->count - 1)) == 0) {
        size_t capacity = uses->count ? 2 * uses->count : 1;
        struct job_dataset *items =
            reallocarray(uses->items, capacity, sizeof *uses->items);
        if (!items)
            return -ENOMEM;
        uses->items = items;
    }
    int rc = job_dataset_read(line, &uses->arena, &uses->items[uses->count], err);
    uses->count += rc == 0;
    return rc;
}

static int compare_texts(struct span a, struct span b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = memcmp(a.data, b.data, size);
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* Numbers: the shorter is the smaller. */
static int compare_uses(const void *a_arg, const void *b_arg)
{
    const struct job_dataset *a = a_arg, *b = b_arg;
    int order = (a->job.size > b->job.size) - (a->job.size < b->job.size);
    if (order == 0)
        order = compare_texts(a->job, b->job);
    if (order == 0)
        order = compare_texts(a->path, b->path);
    if (order == 0)
        order = (a->uid > b->uid) - (a->uid < b->uid);
    return order ? order : (a->t_ns > b->t_ns) - (a->t_ns < b->t_ns);
}

static void user_set(const struct job_dataset *use, struct table *out)
{
    char number[24];
    const struct passwd *user = getpwuid((uid_t)use->uid);
    (void)snprintf(number, sizeof number, "%lld", (long long)use->uid);
    table_set_text(out, WHERE_USER, span_of(user ? user->pw_name : number));
}

static void use_row_add(const struct job_dataset *use, struct table *out)
{
    table_add_row(out);
    if (!span_is(use->job, "0"))
        table_set_text(out, WHERE_JOB, use->job);
    user_set(use, out);
    table_set_text(out, WHERE_DATASET, use->name);
    table_set_text(out, WHERE_DIGEST, use->digest);
    table_set_text(out, WHERE_PATH, use->path);
    table_set_text(out, WHERE_OPTIONS, use->options);
    table_set_text(out, WHERE_COMMAND, use->command);
}

static void use_rows_make(const struct uses *uses, struct table *out)
{
    static const char *const columns[] = {
        [WHERE_JOB] = "job",         [WHERE_USER] = "user", [WHERE_DATASET] = "dataset",
        [WHERE_DIGEST] = "digest",   [WHERE_PATH] = "path", [WHERE_OPTIONS] = "options",
        [WHERE_COMMAND] = "command",
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        table_add_column(out, columns[i], TABLE_TEXT, "");
    for (size_t i = 0; i < uses->count; i++)
        use_row_add(&uses->items[i], out);
}

int where_table(const char *socket, struct table *out, struct err *err)
{
    AUTO(visit_done) struct visit visit = { .fd = -1 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(uses_done) struct uses uses = { 0 };
    struct span lines, line;
    arena_init(&uses.arena, 0);
    int rc = visit_begin(&visit, socket, err);
    visit.wait_s = WHERE_WAIT_S;
    if (rc == 0)
        rc = visit_connect(&visit, err);
    if (rc == 0)
        rc = visit_where(&visit, err);
    if (rc == 0)
        rc = list_read(visit.fd, &text, err);
    lines = rc == 0 ? strbuf_span(&text) : SPAN("");
    while (rc == 0 && span_cut(&lines, '\n', &line))
        rc = uses_add(&uses, line, err);
    if (rc < 0)
        return rc;
    if (uses.count > 1)
        qsort(uses.items, uses.count, sizeof *uses.items, compare_uses);
    use_rows_make(&uses, out);
    return table_error(out);
}
