/* SPDX-License-Identifier: Apache-2.0 */
/* store_import - baro store import: what cc-metric-store kept on disk, host by host. */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/terminal.h"
#include "base/timetext.h"
#include "cmd/commands.h"
#include "cmd/import_target.h"
#include "model/model.h"
#include "source/ccms/ccms.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX ((size_t)2 << 30)
#define SAY_INTERVAL_NS (2 * NS_PER_S)
#define VALUES_AT_ONCE 4096

struct args {
    struct client_args client; /* first: its options' offsets count from here */
    const char *into;
    bool quiet;
};

enum file_kind {
    FILE_JSON,
    FILE_SNAPSHOT,
    FILE_LOG,
};

struct file {
    int64_t from_s; /* a log comes last */
    enum file_kind kind;
    char name[64];
};

struct import {
    struct import_target target;
    int64_t from_ns, to_ns;
    bool is_progress;
    int64_t said_ns;
    const char *cluster, *host;
    struct strbuf path, bytes;
    struct err err;
    uint64_t hosts, files, bad_files, torn_logs, read, deep_series;
};

static void done(struct import *im)
{
    strbuf_done(&im->path);
    strbuf_done(&im->bytes);
}
DEFINE_AUTO_DONE(struct import, done);

/* ---- values ---- */

/* False: deeper than a component is. */
static bool make_path(struct import *im, const struct ccms_series *s)
{
    struct component c = { .cluster = span_of(im->cluster), .host = span_of(im->host) };
    if (s->level_count > 2)
        return false;
    if (s->level_count > 0)
        ccms_level_parse(s->levels[0], &c.type, &c.id);
    if (s->level_count > 1)
        ccms_level_parse(s->levels[1], &c.subtype, &c.sub_id);
    /* type=node with an id: the host itself. */
    if (c.type.size == 0 || span_is(c.type, "node")) {
        c.type = c.subtype;
        c.id = c.sub_id;
        c.subtype = c.sub_id = (struct span){ 0 };
    }
    strbuf_clear(&im->path);
    component_print(&im->path, &c);
    return true;
}

static int put_some(struct import *im, struct import_series *s, const double *values,
                    size_t count)
{
    double kept[VALUES_AT_ONCE];
    for (size_t i = 0; i < count; i++) {
        int64_t t_ns = s->start_ns + (int64_t)i * s->step_ns;
        bool is_wanted = t_ns >= im->from_ns && t_ns < im->to_ns && isfinite(values[i]);
        kept[i] = is_wanted ? values[i] : NAN;
        im->read += is_wanted;
    }
    return im->target.put(im->target.state, s, kept, count, &im->err);
}

static int take_values(void *arg, const struct ccms_series *from, const double *values,
                       size_t count)
{
    struct import *im = arg;
    if (!make_path(im, from)) {
        im->deep_series++;
        return 0;
    }
    struct import_series s = {
        .path = strbuf_span(&im->path),
        .metric = from->metric,
        .step_ns = from->step_s * NS_PER_S,
        .start_ns = from->start_s * NS_PER_S,
    };
    int rc = strbuf_error(&im->path);
    for (size_t at = 0, some; rc == 0 && at < count; at += some) {
        some = count - at < VALUES_AT_ONCE ? count - at : VALUES_AT_ONCE;
        rc = put_some(im, &s, values + at, some);
        s.start_ns += (int64_t)some * s.step_ns;
    }
    return rc;
}

/* ---- files ---- */

static void say_progress(struct import *im)
{
    int64_t now_ns = clock_monotonic_ns();
    if (!im->is_progress || now_ns - im->said_ns < SAY_INTERVAL_NS)
        return;
    im->said_ns = now_ns;
    fprintf(stderr, "%s%" PRIu64 " hosts, %" PRIu64 " files, %" PRIu64 " samples ",
            terminal_order(TERMINAL_LINE_START), im->hosts, im->files, im->read);
}

static int read_log(struct import *im, const char *path, const struct ccms_sink *sink,
                    struct err *why)
{
    struct ccms_log_end end;
    int rc = ccms_read_log(strbuf_span(&im->bytes), sink, &end, why);
    if (rc == 0 && end.is_torn) {
        im->torn_logs++;
        fprintf(
            stderr,
            "baro store import: '%s': note: it ends within a record, at byte %" PRIu64
            "\n",
            path, end.good_bytes);
    }
    return rc;
}

/* What is damaged costs what follows in its file; the rest goes on. */
static int read_file(struct import *im, const char *dir, const struct file *f)
{
    char path[PATH_MAX];
    const struct ccms_sink sink = { take_values, im };
    struct err why = { 0 };
    int n = snprintf(path, sizeof path, "%s/%s", dir, f->name);
    strbuf_clear(&im->bytes);
    int rc = n > 0 && n < PATH_MAX ? file_read(path, FILE_BYTES_MAX, &im->bytes, &why)
                                   : err_set(&why, ENAMETOOLONG, "'%s': too long", dir);
    bool is_read = rc == 0;
    struct span bytes = strbuf_span(&im->bytes);
    if (rc == 0 && f->kind == FILE_JSON)
        rc = ccms_read_json(bytes, &sink, &why);
    else if (rc == 0 && f->kind == FILE_SNAPSHOT)
        rc = ccms_read_snapshot(bytes, &sink, &why);
    else if (rc == 0)
        rc = read_log(im, path, &sink, &why);
    im->files++;
    say_progress(im);
    if (rc < 0 && im->err.text[0])
        return rc; /* the target's */
    if (rc == -ENOMEM)
        return err_set(&im->err, ENOMEM, "'%s': out of memory", path);
    if (rc < 0) {
        im->bad_files++;
        fprintf(stderr, "baro store import: %s%s%s%s\n", is_read ? "'" : "",
                is_read ? path : "", is_read ? "': " : "", why.text);
    }
    return 0;
}

static bool parse_name(const char *name, struct file *ret)
{
    struct span rest = span_of(name), number;
    if (strlen(name) >= sizeof ret->name)
        return false;
    (void)snprintf(ret->name, sizeof ret->name, "%.63s", name);
    if (span_is(rest, "current.wal")) {
        ret->kind = FILE_LOG;
        ret->from_s = INT64_MAX;
        return true;
    }
    (void)span_cut(&rest, '.', &number);
    ret->kind = span_is(rest, "bin") ? FILE_SNAPSHOT : FILE_JSON;
    return (span_is(rest, "bin") || span_is(rest, "json")) &&
           number_parse_i64(number, &ret->from_s) == 0;
}

static int compare_files(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    if (x->from_s != y->from_s)
        return x->from_s < y->from_s ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int read_host(struct import *im, const char *path)
{
    AUTO_CLOSEDIR DIR *dir = opendir(path);
    AUTO_FREE struct file *files = NULL;
    size_t count = 0, capacity = 0;
    const struct dirent *entry;
    if (!dir)
        return err_set(&im->err, errno, "open '%s': %s", path, strerror(errno));
    while ((entry = readdir(dir))) {
        struct file file;
        if (!parse_name(entry->d_name, &file))
            continue;
        if (count == capacity) {
            capacity = 2 * capacity + 16;
            struct file *grown = realloc(files, capacity * sizeof *files);
            if (!grown)
                return err_set(&im->err, ENOMEM, "out of memory");
            files = grown;
        }
        files[count++] = file;
    }
    if (count > 0)
        qsort(files, count, sizeof *files, compare_files);
    im->hosts += count > 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = read_file(im, path, &files[i]);
    return rc;
}

/* Every directory in one, by name. */
static int each_directory(struct import *im, const char *path, const char **name,
                          int (*fn)(struct import *im, const char *path))
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);
    int rc = count < 0
                 ? err_set(&im->err, errno, "open '%s': %s", path, strerror(errno))
                 : 0;
    for (int i = 0; i < count; i++) {
        AUTO(strbuf_done) struct strbuf inner = STRBUF_INIT;
        struct stat st;
        strbuf_addf(&inner, "%s/%s", path, entries[i]->d_name);
        *name = entries[i]->d_name;
        if (rc == 0)
            rc = strbuf_error(&inner);
        if (rc == 0 && entries[i]->d_name[0] != '.' &&
            stat(strbuf_text(&inner), &st) == 0 && S_ISDIR(st.st_mode))
            rc = fn(im, strbuf_text(&inner));
    }
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return rc;
}

static int read_cluster(struct import *im, const char *path)
{
    return each_directory(im, path, &im->host, read_host);
}

/* ---- the command ---- */

static void print_counts(const struct import *im, const struct import_counts *c,
                         bool is_server)
{
    if (im->is_progress && im->said_ns > 0)
        fprintf(stderr, "\n");
    printf("%" PRIu64 " hosts, %" PRIu64 " files, %" PRIu64 " samples\n", im->hosts,
           im->files, c->samples);
    if (c->refused > 0 && is_server)
        printf("%" PRIu64 " requests had lines that barod did not take\n", c->refused);
    else if (c->refused > 0)
        printf("%" PRIu64 " samples were refused\n", c->refused);
    if (c->overwritten > 0)
        printf("%" PRIu64 " samples gave their slot to one of another time\n",
               c->overwritten);
    if (im->deep_series + c->unsaid_series > 0)
        printf("%" PRIu64 " series are left out: their names cannot be those of a "
               "component\n",
               im->deep_series + c->unsaid_series);
    if (im->bad_files > 0)
        printf("%" PRIu64 " files are damaged: what follows in them is left out\n",
               im->bad_files);
}

static int import(struct import *im, const struct args *args, const char *from)
{
    struct import_counts counts = { 0 };
    struct err why = { 0 };
    int rc = args->into
                 ? import_into_directory(args->into, &im->target, &im->err)
                 : import_into_server(&args->client.endpoint, &im->target, &im->err);
    if (rc < 0)
        return rc;
    rc = each_directory(im, from, &im->cluster, read_cluster);
    int ended = im->target.end(im->target.state, &counts, &why);
    if (rc == 0 && ended < 0) {
        im->err = why;
        rc = ended;
    }
    if (rc == 0 && im->files == 0)
        return err_set(&im->err, ENOENT,
                       "'%s' has no checkpoints: CLUSTER/HOST/TIME.json or .bin", from);
    print_counts(im, &counts, !args->into);
    return rc;
}

static int read_times(struct import *im, const struct client_args *client)
{
    int64_t now_ns = clock_now_ns();
    im->to_ns = INT64_MAX;
    if (client->from &&
        timetext_parse_user(span_of(client->from), now_ns, &im->from_ns) < 0)
        return err_set(&im->err, EINVAL, "--from: '%s' is no time", client->from);
    if (client->to && timetext_parse_user(span_of(client->to), now_ns, &im->to_ns) < 0)
        return err_set(&im->err, EINVAL, "--to: '%s' is no time", client->to);
    return 0;
}

static int run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    AUTO(done) struct import im = { 0 };
    int rc = read_times(&im, &args->client);
    if (rc == 0 && operand_count != 1)
        rc = err_set(&im.err, EINVAL, "which directory of checkpoints? see --help");
    if (rc == 0 && args->into && args->client.endpoint.server)
        rc = err_set(&im.err, EINVAL, "--into or --server, not both");
    if (rc < 0) {
        fprintf(stderr, "baro store import: %s\n", im.err.text);
        return EXIT_USAGE;
    }
    im.is_progress = !args->quiet && isatty(STDERR_FILENO);
    rc = import(&im, args, operands[0]);
    if (rc < 0) {
        fprintf(stderr, "baro store import: %s\n",
                im.err.text[0] ? im.err.text : strerror(-rc));
        return err_exit_status(rc);
    }
    return im.bad_files > 0 || fflush(stdout) ? EXIT_FAILED : EXIT_OK;
}

static const struct option options[] = {
    { "into", 0, OPTION_TEXT, offsetof(struct args, into), "DIRECTORY",
      "Straight into a store's directory, which no barod may have open." },
    { "from", 0, OPTION_TEXT, CLIENT_FIELD(from), "TIME",
      "Only samples from then on: 2026-11-21T06:00Z, -2h, @1669010520." },
    { "to", 0, OPTION_TEXT, CLIENT_FIELD(to), "TIME", "Only samples before." },
    { "quiet", 'q', OPTION_FLAG, offsetof(struct args, quiet), NULL,
      "No progress on a terminal." },
    CLIENT_SERVER_OPTIONS,
};

const struct command cmd_store_import = {
    .name = "store import",
    .operands = "DIRECTORY",
    .help = "Take over what cc-metric-store kept on disk.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run,
    .details = "DIRECTORY is that of its checkpoints; it should not run meanwhile.  "
               "Without --into\nsamples go to a running barod, which takes what its "
               "retention still covers.\n",
};
