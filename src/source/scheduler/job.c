/* SPDX-License-Identifier: Apache-2.0 */
/* job - one run of one job, as its batch system accounts for it. */
#include "source/scheduler/job.h"

#include "base/number.h"
#include "base/timetext.h"

#include <strings.h>

#define ISO_SIZE (sizeof "2026-11-21T02:25:20" - 1)
#define CTIME_SIZE (sizeof "Sat Nov 21 02:25:20 2026" - 1)

static bool is_untold(struct span text)
{
    static const char *const words[] = { "", "Unknown", "None", "N/A", "null" };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (text.size == strlen(words[i]) &&
            strncasecmp(text.data, words[i], text.size) == 0)
            return true;
    return false;
}

/* "Sat Nov 21 02:25:20 2026" -> "2026-11-21T02:25:20". */
static bool from_ctime(struct span text, char iso[static ISO_SIZE])
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    if (text.size != CTIME_SIZE || text.data[3] != ' ' || text.data[7] != ' ')
        return false;
    for (int month = 0; month < 12; month++) {
        if (memcmp(text.data + 4, months + (size_t)month * 3, 3) != 0)
            continue;
        memcpy(iso, text.data + 20, 4);
        iso[4] = iso[7] = '-';
        iso[5] = (char)('0' + (month + 1) / 10);
        iso[6] = (char)('0' + (month + 1) % 10);
        memcpy(iso + 8, text.data + 8, 2);
        iso[8] = iso[8] == ' ' ? '0' : iso[8];
        iso[10] = 'T';
        memcpy(iso + 11, text.data + 11, 8);
        return true;
    }
    return false;
}

const char *sched_time_parse(struct span text, const struct sched_zone *zone,
                             int64_t *ret_ns)
{
    int64_t t_ns;
    char zoned[ISO_SIZE + 1];
    if (is_untold(text)) {
        *ret_ns = JOB_TIME_NONE;
        return NULL;
    }
    if ((number_parse_seconds(text, &t_ns) == 0 && t_ns >= 0) ||
        timetext_parse(text, &t_ns) == 0) {
        *ret_ns = t_ns == 0 ? JOB_TIME_NONE : t_ns; /* Flux: 0.0 */
        return NULL;
    }
    if (text.size == ISO_SIZE)
        memcpy(zoned, text.data, ISO_SIZE);
    else if (!from_ctime(text, zoned))
        return "a time is none";
    zoned[ISO_SIZE] = 'Z';
    if (timetext_parse((struct span){ zoned, sizeof zoned }, &t_ns) < 0)
        return "a time is none";
    if (!zone->is_named)
        return "a time has no zone: name its zone (of Slurm, or let sacct print "
               "seconds "
               "with SLURM_TIME_FORMAT=%s)";
    *ret_ns = t_ns - zone->east_s * NS_PER_S;
    return NULL;
}

bool sched_job_overlaps(const struct sched_job *job, int64_t from_ns, int64_t to_ns)
{
    return job->start_ns != JOB_TIME_NONE && job->start_ns < to_ns &&
           (job->end_ns == JOB_TIME_NONE || job->end_ns > from_ns);
}

double sched_job_node_seconds(const struct sched_job *job, int64_t from_ns,
                              int64_t to_ns)
{
    if (!sched_job_overlaps(job, from_ns, to_ns))
        return 0;
    int64_t begin = job->start_ns > from_ns ? job->start_ns : from_ns;
    int64_t end =
        job->end_ns != JOB_TIME_NONE && job->end_ns < to_ns ? job->end_ns : to_ns;
    if (end <= begin)
        return 0;
    return ((double)end - (double)begin) / (double)NS_PER_S * (double)job->node_count;
}

int sched_job_nodes(const struct sched_job *job, struct hostset **ret, struct err *err)
{
    if (job->nodes.size == 0)
        return err_set(err, ENOENT, "job " SPAN_FMT ": its nodes are not told",
                       SPAN_ARG(job->id));
    return hostset_parse(job->nodes, ret, err);
}
