/* SPDX-License-Identifier: Apache-2.0 */
/* check - baro-agent --check: what each source can read, and what is missing. */
#include "agent/check/check.h"

#include "agent/get_param.h"
#include "agent/param.h"
#include "agent/target_list.h"
#include "base/number.h"
#include "base/span.h"
#include "source/lustre/lustre.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- sources ---- */

static void check_place(const char *root, const char *below, struct check_place *ret)
{
    struct stat st;
    (void)snprintf(ret->path, sizeof ret->path, "%s%s%s", root,
                   strcmp(root, "/") == 0 ? "" : "/", below);
    /* Opened, since access(2) leaves out what the agent's capability allows. */
    int fd = open(ret->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        (void)close(fd);
    else
        ret->error = errno == EACCES || stat(ret->path, &st) < 0 ? errno : EIO;
}

static int ignore_entry(void *arg, const struct entry *entry)
{
    (void)arg;
    (void)entry;
    return 0;
}

static int64_t cleanup_of(struct span cleanups, struct span name)
{
    struct span rest = cleanups, line;
    while (rest.size) {
        struct target_cleanup cleanup;
        (void)span_cut(&rest, '\n', &line);
        if (target_cleanup_parse(line, &cleanup) == 0 &&
            span_eq(cleanup.target.name, name))
            return cleanup.cleanup_ms / MS_PER_S;
    }
    return -1;
}

/* Why a target was not read: the error, what the program wrote, or its status. */
static void set_complaint(struct check_target *ret, const struct param_result *result)
{
    struct span text = span_trim(strbuf_span(&result->complaint));
    if (result->error)
        (void)snprintf(ret->complaint, sizeof ret->complaint, "%s%s" SPAN_FMT,
                       strerror(-result->error), text.size ? ": " : "", SPAN_ARG(text));
    else if (text.size)
        (void)snprintf(ret->complaint, sizeof ret->complaint, SPAN_FMT, SPAN_ARG(text));
    else
        (void)snprintf(ret->complaint, sizeof ret->complaint,
                       "the program ended with status %d and wrote no reason",
                       result->status);
}

/* What one target prints.  Errors: -ENOMEM. */
static int check_target(const struct agent_opts *opts, struct span param,
                        struct span cleanups, struct check_target *ret)
{
    AUTO(param_result_done) struct param_result result = { 0 };
    AUTO(jobstats_parser_free) struct jobstats_parser *parser = NULL;
    AUTO_FREE char *text = span_dup(param);
    struct span name;
    enum target_kind kind;
    (void)agent_parse_param(param, "job_stats", &name, &kind);
    (void)snprintf(ret->name, sizeof ret->name, SPAN_FMT, SPAN_ARG(name));
    if (!text || jobstats_parser_new(ignore_entry, NULL, NULL, &parser) < 0)
        return -ENOMEM;
    (void)get_param_wait(opts, "-n", text, NULL, &result);
    ret->is_read = !result.error && !result.status;
    if (!ret->is_read) {
        set_complaint(ret, &result);
        return 0;
    }
    jobstats_parser_begin(parser, name, kind);
    (void)jobstats_parser_feed(parser, strbuf_text(&result.text), result.text.size);
    (void)jobstats_parser_finish(parser);
    const struct jobstats_counts *counts = jobstats_parser_counts(parser);
    ret->entries = counts->entries;
    ret->size_bytes = result.text.size;
    ret->counts_from_boot = counts->boot_time;
    ret->cleanup_s = cleanup_of(cleanups, name);
    return 0;
}

static int check_listed(const struct agent_opts *opts, struct span list,
                        struct span cleanups, struct check_sources *ret)
{
    struct span rest = list, line, name;
    enum target_kind kind;
    int rc = 0;
    while (rc == 0 && rest.size) {
        (void)span_cut(&rest, '\n', &line);
        line = span_trim(line);
        if (agent_parse_param(line, "job_stats", &name, &kind) < 0)
            continue;
        struct check_target *grown =
            realloc(ret->targets, (ret->target_count + 1) * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        ret->targets = grown;
        struct check_target *target = &grown[ret->target_count++];
        *target = (struct check_target){ .cleanup_s = -1 };
        rc = check_target(opts, line, cleanups, target);
    }
    return rc;
}

static int check_sources(const struct agent_opts *opts, struct check_sources *ret)
{
    static const char *const places[] = { "proc/fs/lustre", "sys/fs/lustre",
                                          "sys/kernel/debug/lustre" };
    AUTO(param_result_done) struct param_result list = { 0 };
    AUTO(param_result_done) struct param_result cleanup = { 0 };
    _Static_assert(COUNT_OF(places) == COUNT_OF(ret->places), "a result each");
    if (strcmp(opts->source, "files") == 0)
        for (; ret->place_count < COUNT_OF(places); ret->place_count++)
            check_place(opts->root, places[ret->place_count],
                        &ret->places[ret->place_count]);
    if (get_param_wait(opts, "-N", "obdfilter.*.job_stats", "mdt.*.job_stats", &list) <
        0) {
        ret->error = list.error;
        return 0;
    }
    struct span complaint = strbuf_span(&list.complaint);
    (void)snprintf(ret->complaint, sizeof ret->complaint, SPAN_FMT,
                   SPAN_ARG(complaint));
    (void)get_param_wait(opts, NULL, "obdfilter.*.job_cleanup_interval",
                         "mdt.*.job_cleanup_interval", &cleanup);
    return check_listed(opts, strbuf_span(&list.text), strbuf_span(&cleanup.text), ret);
}

/* ---- directories ---- */

/* The nearest directory above path that is there; path is changed. */
static void nearest_there(char *path)
{
    for (;;) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path) {
            (void)snprintf(path, 2, "%s", slash ? "/" : ".");
            return;
        }
        *slash = '\0';
        if (access(path, F_OK) == 0 || errno != ENOENT)
            return;
    }
}

struct check_dir check_dir(const char *what, const char *path)
{
    struct check_dir dir = { .what = what, .path = path };
    struct stat st;
    int rc = access(path, R_OK | W_OK | X_OK) < 0 ? -errno : 0;
    if (rc == 0 && stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
        rc = -ENOTDIR;
    if (rc != -ENOENT) {
        dir.state = rc < 0 ? CHECK_DIR_BARRED : CHECK_DIR_WRITABLE;
        dir.error = -rc;
        return dir;
    }
    (void)snprintf(dir.above, sizeof dir.above, "%s", path);
    nearest_there(dir.above);
    dir.state = CHECK_DIR_TO_BE_MADE;
    if (access(dir.above, W_OK | X_OK) < 0) {
        dir.state = CHECK_DIR_CANNOT_MAKE;
        dir.error = errno;
        dir.is_units = strncmp(path, "/var/lib/barograph/", 19) == 0;
    }
    return dir;
}

/* ---- all of it ---- */

int agent_check(const struct agent_opts *opts, struct check_result *ret)
{
    AUTO(check_result_done) struct check_result result = { .opts = opts };
    int rc = check_sources(opts, &result.sources);
    if (rc < 0)
        return rc;
    check_server(opts, &result.server);
    result.dirs[0] = check_dir("state", opts->state);
    result.dirs[1] = check_dir("spool", opts->spool);
    *ret = result;
    result.sources = (struct check_sources){ .error = 0 };
    result.server.targets = (struct strbuf)STRBUF_INIT;
    return 0;
}

void check_result_done(struct check_result *result)
{
    free(result->sources.targets);
    strbuf_done(&result->server.targets);
}

static bool is_dir_good(const struct check_dir *dir)
{
    return dir->state == CHECK_DIR_WRITABLE || dir->state == CHECK_DIR_TO_BE_MADE ||
           (dir->state == CHECK_DIR_CANNOT_MAKE && dir->is_units);
}

bool check_is_good(const struct check_result *result)
{
    const struct check_sources *sources = &result->sources;
    bool is_good = sources->error == 0 && sources->target_count > 0;
    for (size_t i = 0; i < sources->target_count; i++)
        is_good &= sources->targets[i].is_read;
    return is_good && check_server_is_good(&result->server) &&
           is_dir_good(&result->dirs[0]) && is_dir_good(&result->dirs[1]);
}
