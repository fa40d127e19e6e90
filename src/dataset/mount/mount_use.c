/* SPDX-License-Identifier: Apache-2.0 */
/* mount_use - for whom a visitor has mounted a dataset, and what becomes of that. */
#include "dataset/mount/mount_use.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "dataset/mount/node_uses.h"
#include "model/model.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A user that no dataset is granted to: what it may have is public. */
#define PUBLIC_UID 65534U
#define MOUNTED_AS "ro,nosuid,nodev"

/* ---- for whom ---- */

static void job_find(int fd, char job[static JOB_ID_BYTES])
{
    struct ucred peer = { 0 };
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.pid <= 0 ||
        process_job_find("", peer.pid, peer.uid, job) < 0)
        (void)snprintf(job, JOB_ID_BYTES, "0");
}

void mount_use_begin(const struct agent_request *request, const struct digest *digest,
                     uint32_t uid, int fd, struct mount_use *ret)
{
    *ret =
        (struct mount_use){ .digest = *digest,
                            .uid = uid,
                            .is_of_slurm = request->kind == AGENT_REQUEST_MOUNT_FOR };
    memcpy(ret->name, request->name, sizeof ret->name);
    if (ret->is_of_slurm)
        (void)snprintf(ret->job, sizeof ret->job, "%" PRIu64, request->job);
    else
        job_find(fd, ret->job);
}

/* ---- what becomes of it ---- */

/* Who connects states a word; which there are is known here. */
static const char *command_of(const struct mount_use *use, const char *word)
{
    static const struct {
        const char *word, *option;
    } commands[] = { { "srun", "srun --dataset" },
                     { "sbatch", "sbatch --dataset" },
                     { "salloc", "salloc --dataset" } };
    if (!use->is_of_slurm)
        return "baro dataset run --dataset";
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].word, word) == 0)
            return commands[i].option;
    return "SLURM_DATASET";
}

/* Also where that is not known now: it is rather not shown. */
static bool is_private(const struct visitor_opts *opts, const struct mount_use *use)
{
    char text[DIGEST_TEXT_SIZE];
    struct reader public_reader;
    struct digest none;
    struct err err;
    digest_print(&use->digest, text);
    return reader_parse(PUBLIC_UID, SPAN("65534"), &public_reader) < 0 ||
           node_mounts_resolve(&opts->node, text, &public_reader, &none, &err) < 0;
}

static volatile sig_atomic_t is_ending;

static void on_ending(int number)
{
    (void)number;
    is_ending = 1;
}

/* A command may have ended meanwhile, and nothing waits longer than it has to: a signal
 * interrupts the question whether it is private, and not the record. */
static void record(const struct visitor_opts *opts, struct job_dataset *dataset,
                   const struct mount_use *use)
{
    if (opts->spool_fd < 0 || strcmp(use->job, "0") == 0)
        return;
    const struct sigaction interrupt = { .sa_handler = on_ending };
    struct sigaction before;
    (void)sigaction(SIGTERM, &interrupt, &before);
    dataset->is_private = is_private(opts, use);
    int rc = job_spool_add(opts->spool_fd, opts->spool_gid, opts->jobs, dataset,
                           opts->login);
    if (rc < 0)
        forwarder_report(opts->report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
                         "job %s: that it has a dataset mounted is lost: %s", use->job,
                         rc == -EDQUOT ? "the spool has no place (jobs.spool_max)"
                                       : strerror(-rc));
    (void)sigaction(SIGTERM, &before, NULL);
    if (is_ending)
        (void)raise(SIGTERM);
}

void mount_use_report(const struct visitor_opts *opts, struct mount_use *use,
                      const struct agent_request *request, int *uses_fd)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    char host[256] = "", digest[DIGEST_TEXT_SIZE];
    const struct job_report_opts *jobs = opts->jobs;
    if (use->is_reported)
        return;
    use->is_reported = true;
    digest_print(&use->digest, digest);
    entry_id_print(&path, span_of(request->path));
    if (jobs->host && *jobs->host)
        (void)snprintf(host, sizeof host, "%s", jobs->host);
    else
        (void)gethostname(host, sizeof host - 1);
    struct job_dataset dataset = {
        .cluster = span_of(jobs->cluster ? jobs->cluster : ""),
        .job = span_of(use->job),
        .host = span_of(host),
        .uid = use->uid,
        .t_ns = clock_now_ms() * NS_PER_MS,
        .digest = span_of(digest),
        .name = span_of(use->name),
        .path = strbuf_span(&path),
        .options = SPAN(MOUNTED_AS),
        .command = span_of(command_of(use, request->command)),
    };
    int rc = strbuf_error(&path);
    if (rc == 0)
        rc = node_uses_add(&opts->node, &dataset, uses_fd);
    if (rc < 0)
        forwarder_report(opts->report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
                         "what user %u has mounted is not listed: %s", use->uid,
                         strerror(-rc));
    record(opts, &dataset, use);
}
