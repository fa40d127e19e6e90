/* SPDX-License-Identifier: Apache-2.0 */
/* check - baro-agent --check: what each source can read, and what is missing. */
#include "agent/check/check.h"

#include "agent/get_param.h"
#include "agent/param.h"
#include "base/file.h"
#include "base/number.h"
#include "base/table.h"
#include "source/lustre/lustre.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct check {
    const struct agent_opts *opts;
    FILE *out;
    struct strbuf cleanup;
    size_t targets, broken;
};

static int count_entry(void *arg, const struct entry *entry)
{
    (void)arg;
    (void)entry;
    return 0;
}

static void print_cleanup(struct check *check, struct span param)
{
    struct span rest = strbuf_span(&check->cleanup), line, name;
    param.size -= strlen("job_stats");
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        uint64_t cleanup_s = 0;
        if (!span_cut(&line, '=', &name) || name.size < param.size ||
            memcmp(name.data, param.data, param.size) != 0 ||
            number_parse_u64(span_trim(line), &cleanup_s) < 0)
            continue;
        fprintf(check->out, ", job_cleanup_interval %llu s",
                (unsigned long long)cleanup_s);
        if (cleanup_s &&
            (uint64_t)(check->opts->interval_ns / NS_PER_S) * 2 > cleanup_s)
            fprintf(check->out, "\n    warning: the interval is more than half of it: "
                                "resets may go unseen");
        return;
    }
    fprintf(check->out, ", job_cleanup_interval cannot be read (600 s is assumed)");
}

static void check_target(struct check *check, struct span param)
{
    struct span name;
    enum target_kind kind;
    if (agent_parse_param(param, "job_stats", &name, &kind) < 0)
        return;
    AUTO(param_result_done) struct param_result answer = { 0 };
    AUTO_FREE char *text = span_dup(param);
    AUTO(jobstats_parser_free) struct jobstats_parser *parser = NULL;
    if (!text || jobstats_parser_new(count_entry, NULL, NULL, &parser) < 0)
        return;
    check->targets++;
    fprintf(check->out, "  " SPAN_FMT ": ", SPAN_ARG(name));
    (void)get_param_wait(check->opts, "-n", text, NULL, &answer);
    if (answer.error || answer.status) {
        check->broken++;
        fprintf(check->out, "cannot be read: %s " SPAN_FMT "\n",
                answer.error ? strerror(-answer.error) : "",
                SPAN_ARG(strbuf_span(&answer.complaint)));
        return;
    }
    jobstats_parser_begin(parser, name, kind);
    (void)jobstats_parser_feed(parser, strbuf_text(&answer.text), answer.text.size);
    (void)jobstats_parser_finish(parser);
    const struct jobstats_counts *counts = jobstats_parser_counts(parser);
    fprintf(check->out, "%llu entries, %zu bytes", (unsigned long long)counts->entries,
            answer.text.size);
    if (counts->boot_time)
        fprintf(check->out, ", times count from boot");
    print_cleanup(check, param);
    fprintf(check->out, "\n");
}

static int check_targets(struct check *check)
{
    const struct agent_opts *opts = check->opts;
    AUTO(param_result_done) struct param_result list = { 0 };
    AUTO(param_result_done) struct param_result cleanup = { 0 };
    bool is_lctl = strcmp(opts->source, "lctl") == 0;
    const char *program = is_lctl ? opts->lctl : opts->reader;
    if (get_param_wait(opts, "-N", "obdfilter.*.job_stats", "mdt.*.job_stats", &list) <
        0) {
        fprintf(check->out,
                "  '%s' cannot be started: %s\n  is this a Lustre server? where the "
                "program lies elsewhere, set agent.%s\n",
                program, strerror(-list.error), is_lctl ? "lctl" : "reader");
        return EXIT_FAILED;
    }
    (void)get_param_wait(opts, NULL, "obdfilter.*.job_cleanup_interval",
                         "mdt.*.job_cleanup_interval", &cleanup);
    check->cleanup = cleanup.text;
    cleanup.text = (struct strbuf)STRBUF_INIT;
    struct span rest = strbuf_span(&list.text), line;
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        check_target(check, span_trim(line));
    }
    strbuf_done(&check->cleanup);
    if (check->targets == 0)
        fprintf(check->out,
                "  no target is found: is this a Lustre server, and are its targets "
                "mounted?\n  " SPAN_FMT "\n",
                SPAN_ARG(strbuf_span(&list.complaint)));
    return check->targets == 0 || check->broken ? EXIT_FAILED : EXIT_OK;
}

/* A directory below root and what its files need. */
static void check_place(const struct agent_opts *opts, const char *place, FILE *out)
{
    char path[LUSTRE_PATH_MAX];
    (void)snprintf(path, sizeof path, "%s%s%s", opts->root,
                   strcmp(opts->root, "/") == 0 ? "" : "/", place);
    struct stat st;
    /* Opened, since access(2) leaves out what the agent's capability allows. */
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)close(fd);
        fprintf(out, "  %s: can be read\n", path);
    } else if (errno == EACCES) {
        fprintf(out,
                "  %s: needs root or CAP_DAC_READ_SEARCH (job_stats does not lie "
                "there; server totals of 2.12 and later do)\n",
                path);
    } else {
        fprintf(out, "  %s: %s\n", path,
                stat(path, &st) < 0 ? strerror(errno) : "cannot be read");
    }
}

/* Cut path to the nearest directory above it that is there. */
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

/* A check makes nothing: what it would make would be the wrong user's. */
static int check_dir(const char *what, const char *path, FILE *out)
{
    const int need = R_OK | W_OK | X_OK;
    struct stat st;
    int rc = access(path, need) < 0 ? -errno : 0;
    fprintf(out, "%s '%s': ", what, path);
    if (rc == 0 && stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
        rc = -ENOTDIR;
    if (rc != -ENOENT) {
        fprintf(out, "%s\n", rc < 0 ? strerror(-rc) : "can be written");
        return rc < 0 ? EXIT_FAILED : EXIT_OK;
    }
    AUTO_FREE char *above = strdup(path);
    if (!above)
        return EXIT_FAILED;
    nearest_there(above);
    if (access(above, W_OK | X_OK) == 0) {
        fprintf(out, "is not there yet, and can be made in '%s'\n", above);
        return EXIT_OK;
    }
    bool is_units = strncmp(path, "/var/lib/barograph/", 19) == 0;
    fprintf(out, "is not there, and cannot be made in '%s': %s; %s\n", above,
            strerror(errno),
            is_units ? "the unit makes it at its first start (StateDirectory)"
                     : "make it, and give it to the service's user");
    return is_units ? EXIT_OK : EXIT_FAILED;
}

int agent_check(const struct agent_opts *opts, FILE *out)
{
    struct check check = { .opts = opts, .out = out };
    fprintf(out, "this server reports as '%s' to %s\n", opts->host, opts->server);
    fprintf(out, "source %s:\n", opts->source);
    if (strcmp(opts->source, "files") == 0) {
        check_place(opts, "proc/fs/lustre", out);
        check_place(opts, "sys/fs/lustre", out);
        check_place(opts, "sys/kernel/debug/lustre", out);
    }
    int status = check_targets(&check);
    int one = agent_check_server(opts, out);
    status = one ? one : status;
    one = check_dir("state", opts->state, out);
    status = one ? one : status;
    one = check_dir("spool", opts->spool, out);
    return one ? one : status;
}
