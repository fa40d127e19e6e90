/* SPDX-License-Identifier: Apache-2.0 */
/* token_file - a file with one token, read again when another one was put in its place.
 */
#include "net/token/token_file.h"

#include "base/span.h"

#include "base/system/secret.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TOKEN_BYTES_MAX 8192

struct token_file {
    char *path;
    struct strbuf text;
    bool is_known; /* the file is the one that seen tells of */
    struct stat seen;
};

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
           a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static void text_done(struct strbuf *text)
{
    if (text->data)
        explicit_bzero(text->data, text->capacity);
    strbuf_done(text);
}
DEFINE_AUTO_DONE(struct strbuf, text_done);

static int read_text(const struct token_file *file, struct strbuf *text,
                     struct err *err)
{
    int rc = secret_read(file->path, TOKEN_BYTES_MAX, text, err);
    if (rc < 0)
        return rc;
    struct span token = span_trim(strbuf_span(text));
    if (memchr(token.data, '\n', token.size) || memchr(token.data, '\r', token.size))
        return err_set(err, EINVAL, "'%s': a token is one line", file->path);
    return 0;
}

int token_file_refresh(struct token_file *file, struct err *err)
{
    AUTO(text_done) struct strbuf text = STRBUF_INIT;
    struct stat st;
    /* Looked at before it is read: a file that is replaced between is read again. */
    if (stat(file->path, &st) < 0)
        memset(&st, 0, sizeof st);
    else if (file->is_known && is_same(&st, &file->seen))
        return 0;
    file->is_known = false;
    int rc = read_text(file, &text, err);
    if (rc < 0)
        return rc;
    file->seen = st;
    file->is_known = true;
    if (span_eq(span_trim(strbuf_span(&text)), token_file_text(file)))
        return 0;
    struct strbuf old = file->text;
    file->text = text;
    text = old;
    return 1;
}

int token_file_open(const char *path, struct token_file **ret, struct err *err)
{
    AUTO(token_file_free) struct token_file *file = calloc(1, sizeof *file);
    if (!file || !(file->path = span_dup(span_of(path))))
        return err_set(err, ENOMEM, "out of memory");
    int rc = token_file_refresh(file, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(file);
    return 0;
}

void token_file_free(struct token_file *file)
{
    if (!file)
        return;
    text_done(&file->text);
    free(file->path);
    free(file);
}

void token_file_doubt(struct token_file *file)
{
    file->is_known = false;
}

struct span token_file_text(const struct token_file *file)
{
    return span_trim(strbuf_span(&file->text));
}
