/* SPDX-License-Identifier: Apache-2.0 */
/* reading - the files of a node's sources, their words, and values made of these. */
#include "source/node/node_private.h"

#include "base/number.h"
#include "base/span.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TEXT_FIRST ((size_t)16 << 10)
/* The kernel fills a page at most with whole records of proc: a shorter text was all.
 */
#define SHORT_READ 2048

struct node_sources *node_reader_new(const char *root)
{
    struct node_sources *s = calloc(1, sizeof *s);
    if (s)
        (void)snprintf(s->root, sizeof s->root, "%s",
                       strcmp(root, "/") == 0 ? "" : root);
    return s;
}

void node_reader_free(struct node_sources *s)
{
    if (s)
        free(s->text);
    free(s);
}

void node_file_open(const struct node_sources *s, struct node_file *file,
                    const char *path)
{
    char full[1024];
    if (snprintf(full, sizeof full, "%s%s", s->root, path) < (int)sizeof full)
        file->fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

void node_file_close(struct node_file *file)
{
    if (file->fd >= 0)
        (void)close(file->fd);
    file->fd = -1;
}

static bool text_grow(struct node_sources *s)
{
    size_t capacity = s->text_capacity ? 2 * s->text_capacity : TEXT_FIRST;
    char *text = capacity <= NODE_TEXT_MAX ? realloc(s->text, capacity) : NULL;
    if (!text)
        return false;
    s->text = text;
    s->text_capacity = capacity;
    return true;
}

struct span node_file_read(struct node_sources *s, const struct node_file *file)
{
    size_t size = 0;
    if (file->fd < 0)
        return (struct span){ "", 0 };
    for (;;) {
        if (size == s->text_capacity && !text_grow(s))
            break;
        ssize_t n =
            pread(file->fd, s->text + size, s->text_capacity - size, (off_t)size);
        if (n <= 0)
            break;
        size += (size_t)n;
        if (n < SHORT_READ)
            break;
    }
    return (struct span){ size ? s->text : "", size };
}

/* One line, of a file that is read once. */
void node_text_of(struct node_sources *s, const char *path, char out[NODE_NAME_MAX])
{
    struct node_file file = { -1 };
    node_file_open(s, &file, path);
    struct span text = span_trim(node_file_read(s, &file));
    size_t size = text.size < NODE_NAME_MAX ? text.size : NODE_NAME_MAX - 1;
    memcpy(out, text.data, size);
    out[size] = '\0';
    node_file_close(&file);
}

/* ---- values and words ---- */

void node_emit(const struct node_sources *s, const char *metric, const char *unit,
               double value)
{
    const struct node_value v = { .metric = metric, .unit = unit, .value = value };
    s->fn(s->arg, &v);
}

void node_emit_of(const struct node_sources *s, const char *metric, const char *unit,
                  double value, const char *stype, struct span stype_id)
{
    const struct node_value v = { .metric = metric,
                                  .unit = unit,
                                  .value = value,
                                  .stype = span_of(stype),
                                  .stype_id = stype_id };
    s->fn(s->arg, &v);
}

struct span node_word(struct span *line)
{
    size_t at = 0;
    while (at < line->size && (line->data[at] == ' ' || line->data[at] == '\t'))
        at++;
    *line = span_skip(*line, at);
    for (at = 0; at < line->size && line->data[at] != ' ' && line->data[at] != '\t';)
        at++;
    struct span word = { line->data, at };
    *line = span_skip(*line, at);
    return word;
}

bool node_number(struct span *line, uint64_t *ret)
{
    return number_parse_u64(node_word(line), ret) == 0;
}
