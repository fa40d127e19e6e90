/* SPDX-License-Identifier: Apache-2.0 */
/* health_record - baro health record: a sample of how full file systems are, and who
 * serves them, into the directory that stores them, and to a barod.
 */
#include "agent/record/record.h"
#include "client/job/job.h"
#include "cmd/commands.h"
#include "cmd/warning.h"

#include <stdio.h>

#define WHO "baro health record"

struct args {
    struct client_args client; /* first: of the barod */
    struct health_recorder_opts record;
    const char *cluster;
};

static void log_print(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, WHO ": %s\n", text);
}

/* One that failed is no reason to hold back the others. */
static int samples_send(const struct args *args, struct err *err)
{
    const struct health_sender_opts opts = { .dir = args->record.dir,
                                             .cluster = args->cluster,
                                             .log = warning_print };
    struct job_server_counts counts = { 0 };
    if (!args->client.endpoint.server)
        return 0;
    int rc = health_send(&args->client.endpoint, &opts, &counts, err);
    if (counts.refused > 0)
        fprintf(stderr, WHO ": %llu readings new, %llu known, %llu refused\n",
                (unsigned long long)counts.accepted,
                (unsigned long long)(counts.duplicate + counts.changed),
                (unsigned long long)counts.refused);
    return rc < 0 ? err_prefix(err, rc, "the samples are stored and not sent") : 0;
}

static int health_record_run(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    struct health_recorder_opts *opts = &args->record;
    struct err err = { 0 };
    bool is_whole = false;
    (void)operands;
    if (operand_count != 0 || !opts->dir) {
        fprintf(stderr, WHO ": --dir DIR is wanted, and no operand\n");
        return EXIT_USAGE;
    }
    opts->log = log_print;
    if (health_recorder_run(opts, &is_whole, &err) < 0 ||
        samples_send(args, &err) < 0) {
        fprintf(stderr, WHO ": %s\n", err.text);
        return EXIT_FAILED;
    }
    return is_whole ? EXIT_OK : EXIT_FAILED;
}

static const struct option options[] = {
    { "dir", 'd', OPTION_TEXT, offsetof(struct args, record.dir), "DIR",
      "The directory of samples; made if it is not there." },
    { "deadline", 0, OPTION_DURATION, offsetof(struct args, record.deadline_ns),
      "DURATION", "Time limit of a command; default: 30s." },
    { "not-within", 0, OPTION_PAUSE, offsetof(struct args, record.not_within_ns),
      "DURATION", "Do nothing where the last sample is younger." },
    { "retention", 'r', OPTION_DURATION, offsetof(struct args, record.keep_ns),
      "DURATION", "Remove samples of days that are over for longer; default: none." },
    { "lfs", 0, OPTION_TEXT, offsetof(struct args, record.lfs), "PROGRAM",
      "The program to run in place of lfs." },
    { "lctl", 0, OPTION_TEXT, offsetof(struct args, record.lctl), "PROGRAM",
      "The program to run in place of lctl." },
    { "server", 's', OPTION_TEXT, CLIENT_FIELD(endpoint.server), "URL",
      "Send this barod the samples that it has not got." },
    { "cluster", 0, OPTION_TEXT, offsetof(struct args, cluster), "NAME",
      "Send them as those of this cluster; default: that of the token." },
    { "token-file", 0, OPTION_TEXT, CLIENT_FIELD(endpoint.token_file), "FILE",
      "Access token file; default: BARO_TOKEN_FILE, or none." },
    { "ca-file", 0, OPTION_TEXT, CLIENT_FIELD(endpoint.ca_file), "FILE",
      "CA bundle for the server's certificate; default: the system's." },
};

const struct command cmd_health_record = {
    .name = "health record",
    .operands = "",
    .help = "Record a sample of lfs df and lctl dl -t, by days.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = health_record_run,
    .details =
        "For a timer, and for what a batch system runs before a job. A command that\n"
        "hangs is given up, reported, and not run again until it is gone.",
};
