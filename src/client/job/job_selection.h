/* SPDX-License-Identifier: Apache-2.0 */
/* job_selection - which runs of jobs a command is about, out of files or of a barod.
 *
 *     options ──job_selection_parse──▶ query ──job_selection_read(operands)──▶ list
 */
#ifndef CLIENT_JOB_JOB_SELECTION_H
#define CLIENT_JOB_JOB_SELECTION_H

#include "client/client.h"
#include "client/job/files.h"

struct job_selection_args {
    struct client_args client; /* --server and its options */
    const char *id;            /* NULL: any, as each of these */
    const char *array;         /* only elements of it */
    const char *cluster;
    const char *node;
    const char *user;
    int64_t last_ns;
    const char *from;
    const char *to;
    struct job_files_args files;
};

/* The options of args->member, a struct job_selection_args, which comes first in args.
 */
/* clang-format off */
#define JOB_SELECTION_FIELD(args, member, field) \
    (offsetof(args, member) + offsetof(struct job_selection_args, field))
#define JOB_SELECTION_OPTIONS(args, member)                                              \
    { "cluster", 'c', OPTION_TEXT, JOB_SELECTION_FIELD(args, member, cluster), "NAME",   \
      "Only jobs of this cluster." },                                                    \
    { "array", 0, OPTION_TEXT, JOB_SELECTION_FIELD(args, member, array), "JOB",          \
      "Only elements of this array: 5 for 5_1, 5_2." },                                  \
    { "node", 'n', OPTION_TEXT, JOB_SELECTION_FIELD(args, member, node), "HOST",         \
      "Only jobs that ran on this node, or one of a set." },                                              \
    { "user", 'u', OPTION_TEXT, JOB_SELECTION_FIELD(args, member, user), "USER",         \
      "Only jobs of this user: a name or a number." },                                   \
    { "last", 0, OPTION_DURATION, JOB_SELECTION_FIELD(args, member, last_ns), "DURATION", \
      "Only jobs that ran within this time before --to, or now: 7d." },                  \
    { "from", 'f', OPTION_TIME, JOB_SELECTION_FIELD(args, member, from), "TIME",         \
      "Only jobs that ran at or after TIME." },                                          \
    { "to", 't', OPTION_TIME, JOB_SELECTION_FIELD(args, member, to), "TIME",             \
      "Only jobs that ran before TIME." },                                               \
    { "format", 'F', OPTION_TEXT, JOB_SELECTION_FIELD(args, member, files.format),       \
      "auto|sacct|csv|pbs-log|json|json-lines", "Default: auto, by what the file has." },            \
    { "map", 'm', OPTION_LIST, JOB_SELECTION_FIELD(args, member, files.map),             \
      "FIELD=NAME",                                                                      \
      "In JSON and CSV, what a field is called there; may be repeated." },               \
    { "zone", 'z', OPTION_TEXT, JOB_SELECTION_FIELD(args, member, files.zone), "ZONE", \
      "Of times without one: +01:00, Europe/Berlin; default: this machine's." }
/* clang-format on */

/* Fill *ret: a window that no option limits is open.
 * Errors: -EINVAL (err names the option and what is legal), -E2BIG. */
int job_selection_parse(const struct job_selection_args *args, struct job_query *ret,
                        struct err *err);

/* Whether the options, or BARO_SERVER, name a barod. */
bool job_selection_has_server(const struct job_selection_args *args);

/* Whether job is one that --id or --array names; NULL: any is. */
bool job_is_selected(const struct job *job, const char *id, const char *array);

/* Runs with their footprints, of the barod that name names.  Errors: -EINVAL (it is a
 * file), as requests. */
int job_selection_footprints(const struct job_selection_args *args,
                             const struct job_query *query, const char *name,
                             const struct job_footprints_request *request,
                             struct table *ret, struct err *err);

/* Add the jobs of each operand, a file or a barod's name; without operands those of the
 * barod.  Of a barod only what fits the query is requested; what files hold beyond is
 * added, too.  Errors: as job_files_init, job_files_read and job_files_query. */
int job_selection_read(const struct job_selection_args *args,
                       const struct job_query *query, int operand_count,
                       char **operands, struct job_list *list, struct err *err);

#endif
