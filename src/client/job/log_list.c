/* SPDX-License-Identifier: Apache-2.0 */
/* log_list - the logs that operands name: files, and what is in directories. */
#include "client/job/log_list.h"

#include "base/span.h"
#include "base/strbuf.h"
#include "client/job/probe_run.h"

#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#define SUFFIX ".darshan"

static int path_add(struct log_list *list, struct span path)
{
    if (list->count == LOG_LIST_MAX)
        return -EFBIG;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 256;
        const char **more = reallocarray(list->paths, capacity, sizeof *more);
        if (!more)
            return -ENOMEM;
        list->paths = more;
        list->capacity = capacity;
    }
    const char *copy = arena_dup(&list->arena, path);
    if (!copy)
        return -ENOMEM;
    list->paths[list->count++] = copy;
    return 0;
}

/* Of a record of a probe both phases. */
static int file_add(struct log_list *list, struct span path)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    int rc = 0;
    strbuf_add_span(&name, path);
    if (strbuf_error(&name) < 0)
        return -ENOMEM;
    if (!probe_run_is_record(strbuf_text(&name)))
        return path_add(list, path);
    for (size_t i = 0; rc == 0 && i < COUNT_OF(probe_run_suffixes); i++) {
        strbuf_clear(&name);
        strbuf_add_span(&name, path);
        strbuf_adds(&name, probe_run_suffixes[i]);
        rc = strbuf_error(&name) < 0 ? -ENOMEM : path_add(list, strbuf_span(&name));
    }
    return rc;
}

static bool is_log_name(const FTSENT *e)
{
    const struct span name = { e->fts_name, e->fts_namelen };
    return (name.size > strlen(SUFFIX) && span_ends(name, SUFFIX) &&
            !probe_run_is_log(e->fts_name)) ||
           probe_run_is_record(e->fts_name);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void auto_fts(FTS *const *fts)
{
    if (*fts)
        (void)fts_close(*fts);
}

/* "a//b" and "a/" are as they were given; only what is below is put behind. */
static int directory_walk(struct log_list *list, char *root, size_t *unread,
                          const struct series_opts *log)
{
    char *const roots[] = { root, NULL };
    __attribute__((cleanup(auto_fts))) FTS *fts =
        fts_open(roots, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    int rc = fts ? 0 : -errno;
    for (FTSENT *e; rc == 0 && (e = fts_read(fts));) {
        struct span path = { e->fts_path, e->fts_pathlen };
        if (e->fts_info == FTS_D && e->fts_level >= LOG_LIST_DEPTH_MAX)
            (void)fts_set(fts, e, FTS_SKIP);
        if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR ||
            (e->fts_info == FTS_D && e->fts_level >= LOG_LIST_DEPTH_MAX)) {
            (*unread)++;
            series_log(log, "%s: %s", e->fts_path,
                       e->fts_info == FTS_D ? "too deep" : strerror(e->fts_errno));
        }
        if (e->fts_info == FTS_F && S_ISREG(e->fts_statp->st_mode) && is_log_name(e))
            rc = file_add(list, path);
    }
    return rc;
}

int log_list_make(char *const *operands, size_t count, struct log_list *ret,
                  size_t *ret_unread, series_log_fn *log, void *log_arg,
                  struct err *err)
{
    AUTO(log_list_done) struct log_list list = { 0 };
    const struct series_opts access = { .log = log, .log_arg = log_arg };
    size_t unread = 0;
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct stat st;
        bool is_dir = stat(operands[i], &st) == 0 && S_ISDIR(st.st_mode);
        list.is_walked |= is_dir;
        rc = is_dir ? directory_walk(&list, operands[i], &unread, &access)
                    : file_add(&list, span_of(operands[i]));
    }
    if (rc < 0)
        return err_set(err, -rc, "the list of logs: %s", strerror(-rc));
    *ret = list;
    *ret_unread = unread;
    list = (struct log_list){ 0 };
    return 0;
}

int log_list_resolve(struct log_list *list, struct err *err)
{
    for (size_t i = 0; i < list->count; i++) {
        AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
        struct span path = span_of(list->paths[i]);
        const char *phase = path.data + path.size;
        if (probe_run_is_phase(list->paths[i], &path.size))
            phase = path.data + path.size;
        AUTO_FREE char *named = span_dup(path);
        AUTO_FREE char *whole = named ? realpath(named, NULL) : NULL;
        if (!whole)
            continue; /* reading it reports why */
        strbuf_addf(&name, "%s%s", whole, phase);
        list->paths[i] = strbuf_error(&name) < 0
                             ? NULL
                             : arena_dup(&list->arena, strbuf_span(&name));
        if (!list->paths[i])
            return err_set(err, ENOMEM, "out of memory");
    }
    return 0;
}

size_t log_list_drop(struct log_list *list,
                     bool (*is_known)(void *arg, const char *log), void *arg)
{
    size_t left = 0;
    size_t count = list->count;
    for (size_t i = 0; i < count; i++)
        if (!is_known(arg, list->paths[i]))
            list->paths[left++] = list->paths[i];
    list->count = left;
    return count - left;
}

void log_list_done(struct log_list *list)
{
    arena_done(&list->arena);
    free(list->paths);
    *list = (struct log_list){ 0 };
}
