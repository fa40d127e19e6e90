/* SPDX-License-Identifier: Apache-2.0 */
/* store_import - baro store import: what cc-metric-store stored on disk. */
#include "base/clock.h"
#include "cmd/commands.h"
#include "cmd/migrate_peer.h"
#include "cmd/progress_line.h"

#include <inttypes.h>
#include <stdio.h>

#define COMMAND "store import"

struct args {
    struct client_args client; /* first: its options' offsets count from here */
    const char *into;
    bool quiet;
};

static void import_progress_print(void *arg,
                                  const struct checkpoint_import_counts *counts)
{
    progress_line_print(arg, (size_t)counts->directories_done,
                        (size_t)counts->directories);
}

static void warn_below_progress(void *arg, const char *text)
{
    progress_line_end(arg);
    fprintf(stderr, "baro " COMMAND ": %s\n", text);
}

static void print_count(uint64_t count, const char *text)
{
    if (count > 0)
        printf("%" PRIu64 " %s\n", count, text);
}

static void print_counts(const struct checkpoint_import_counts *read,
                         const struct import_target_counts *put, bool is_server)
{
    printf("%" PRIu64 " hosts, %" PRIu64 " files, %" PRIu64 " samples\n", read->hosts,
           read->files, put->samples);
    print_count(put->refused, is_server ? "requests had lines that barod did not accept"
                                        : "samples were refused");
    print_count(put->overwritten, "samples gave their slot to one of another time");
    print_count(read->deep_series + put->skipped_series,
                "series are left out: their names cannot be those of a component");
    print_count(read->bad_files, "files are damaged: what follows in them is left out");
}

static int import(const struct args *args, const char *dir,
                  struct progress_line *progress, struct checkpoint_import_opts *opts,
                  struct checkpoint_import_counts *counts, struct err *err)
{
    AUTO(client_http_close) struct client_http *http = NULL;
    struct import_target target;
    struct import_target_counts put = { 0 };
    struct http_peer peer;
    int rc;
    if (args->into) {
        rc = directory_target_open(args->into, warn_below_progress, progress, &target,
                                   err);
    } else {
        rc = client_http_open(&args->client.endpoint, &http, err);
        peer = migrate_peer(http);
        if (rc == 0)
            rc = server_target_open(&peer, &target, err);
    }
    if (rc < 0)
        return rc;
    progress_line_begin(progress, "hosts");
    rc = checkpoint_import(dir, opts, &target, counts, &put, err);
    progress_line_end(progress);
    if (rc != -ENOENT)
        print_counts(counts, &put, !args->into);
    if (rc == 0 && put.samples == 0 && put.refused > 0)
        rc = err_set(err, ERANGE, "%s: none of its samples was accepted", dir);
    return rc;
}

/* Errors: -EINVAL. */
static int check_args(const struct args *args, int operand_count,
                      struct checkpoint_import_opts *opts, struct err *err)
{
    const struct time_window_text window = { .from = args->client.from,
                                             .to = args->client.to };
    if (operand_count != 1)
        return err_set(err, EINVAL, "which directory of checkpoints? see --help");
    if (args->into && args->client.endpoint.server)
        return err_set(err, EINVAL, "--into or --server, not both");
    opts->window = time_window_all();
    return time_window_parse(&window, clock_now_ns(), &opts->window, err);
}

static int store_import_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    struct progress_line progress = { .is_off = args->quiet };
    struct checkpoint_import_opts opts = { .warn = warn_below_progress,
                                           .progress = import_progress_print,
                                           .arg = &progress };
    struct checkpoint_import_counts counts = { 0 };
    struct err err = { 0 };
    if (check_args(args, operand_count, &opts, &err) < 0) {
        (void)migrate_failed(COMMAND, -EINVAL, &err);
        return EXIT_USAGE;
    }
    int rc = import(args, operands[0], &progress, &opts, &counts, &err);
    if (rc < 0)
        return migrate_failed(COMMAND, rc, &err);
    return counts.bad_files > 0 || fflush(stdout) ? EXIT_FAILED : EXIT_OK;
}

static const struct option options[] = {
    { "into", 0, OPTION_TEXT, offsetof(struct args, into), "DIRECTORY",
      "Write into a store's directory, which no barod may have open." },
    { "from", 0, OPTION_TIME, CLIENT_FIELD(from), "TIME",
      "Only samples from then on: 2026-11-21T06:00Z, -2h, @1669010520." },
    { "to", 0, OPTION_TIME, CLIENT_FIELD(to), "TIME", "Only samples before." },
    { "quiet", 'q', OPTION_FLAG, offsetof(struct args, quiet), NULL,
      "No progress on a terminal." },
    CLIENT_SERVER_OPTIONS,
};

const struct command cmd_store_import = {
    .name = COMMAND,
    .operands = "DIRECTORY",
    .help = "Import the samples that cc-metric-store stored on disk.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = store_import_run,
    .details = "DIRECTORY is that of its checkpoints; it should not run meanwhile.  "
               "Without --into\nsamples go to a running barod, which accepts what its "
               "retention still covers.\n",
};
