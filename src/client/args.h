/* SPDX-License-Identifier: Apache-2.0 */
/* args - the options that commands with requests share, and the selection they make. */
#ifndef CLIENT_ARGS_H
#define CLIENT_ARGS_H

#include "base/options.h"
#include "client/endpoint.h"
#include "query/query.h"

/* The first field of each such command's arguments. */
struct client_args {
    struct client_endpoint endpoint;
    const char *output;
    bool raw;
    const char *fs, *target, *lustre_server, *job, *user, *group, *node, *executable;
    const char *entry, *id;
    struct option_list ops, by;
    const char *from, *to, *last, *step;
    uint64_t limit;
    bool density;
    const char *session; /* of a user, which serves this in place of barod */
};

#define CLIENT_FIELD(field) offsetof(struct client_args, field)

/* One option a line or two. */
/* clang-format off */
#define CLIENT_SERVER_OPTIONS                                                            \
    { "server", 's', OPTION_TEXT, CLIENT_FIELD(endpoint.server), "URL",                  \
      "The address of barod; default: BARO_SERVER, or " CLIENT_SERVER_DEFAULT },         \
    { "token-file", 0, OPTION_TEXT, CLIENT_FIELD(endpoint.token_file), "FILE",           \
      "The access token file; default: BARO_TOKEN_FILE, or none." },                     \
    { "ca-file", 0, OPTION_TEXT, CLIENT_FIELD(endpoint.ca_file), "FILE",                 \
      "The CA bundle for the server's certificate; default: the system's." }

#define CLIENT_SESSION_OPTION                                                            \
    { "session", 0, OPTION_TEXT, CLIENT_FIELD(session), "NAME",                          \
      "Of this session of yours, by its own process; OUTER:INNER: of one in another." }

#define CLIENT_FORM_OPTIONS                                                              \
    { "output", 'o', OPTION_TEXT, CLIENT_FIELD(output), "table|json|csv",                \
      "table (default), json or csv." },                                                 \
    { "raw", 0, OPTION_FLAG, CLIENT_FIELD(raw), NULL,                                    \
      "Numbers in full in tables, not 1.2 GiB/s." }

#define CLIENT_ENDPOINT_OPTIONS                                                          \
    CLIENT_SERVER_OPTIONS,                                                               \
    { "records", 0, OPTION_TEXT, CLIENT_FIELD(endpoint.records), "DATABASE",             \
      "Read a database without a daemon: SQLite's file, or PostgreSQL's "                \
      "connection string." },                                                            \
    CLIENT_FORM_OPTIONS

#define CLIENT_FILTER_OPTIONS                                                            \
    { "fs", 0, OPTION_TEXT, CLIENT_FIELD(fs), "NAME",                                    \
      "Only this file system, by the name the site gives it." },                         \
    { "target", 't', OPTION_TEXT, CLIENT_FIELD(target), "PATTERN",                       \
      "Only targets that match, such as 'scratch-OST*'." },                              \
    { "job", 'j', OPTION_TEXT, CLIENT_FIELD(job), "ID", "Only this job." },              \
    { "user", 'u', OPTION_TEXT, CLIENT_FIELD(user), "USER", "Only this user: a name or a number." },           \
    { "group", 0, OPTION_TEXT, CLIENT_FIELD(group), "GROUP", "Only this group: a name or a number." },          \
    { "node", 'n', OPTION_TEXT, CLIENT_FIELD(node), "NAME", "Only this node, or a set: r30c[09-24]." },         \
    { "executable", 'e', OPTION_TEXT, CLIENT_FIELD(executable), "NAME",                  \
      "Only this executable." },                                                         \
    { "entry", 0, OPTION_TEXT, CLIENT_FIELD(entry), "ID",                                \
      "Only this identifier, in its text form." },                                       \
    { "id", 0, OPTION_TEXT, CLIENT_FIELD(id), "UUID", "Only this time series." },        \
    { "limit", 'l', OPTION_LIMIT, CLIENT_FIELD(limit), "COUNT",                          \
      "At most this many rows." }

#define CLIENT_WINDOW_OPTIONS                                                            \
    { "lustre-server", 0, OPTION_TEXT, CLIENT_FIELD(lustre_server), "NAME",              \
      "Only what this Lustre server observed." },                                        \
    { "from", 0, OPTION_TIME, CLIENT_FIELD(from), "TIME",                                \
      "The beginning of the window: 2026-11-21T06:00Z, -2h, @1669010520." },             \
    { "to", 0, OPTION_TIME, CLIENT_FIELD(to), "TIME",                                    \
      "Its end; default: the newest observation, or now." },                             \
    { "last", 0, OPTION_TEXT, CLIENT_FIELD(last), "DURATION",                            \
      "Its length up to its end, instead of a beginning: 10m, 2h; rounds: the last "       \
      "round of all servers." }

#define CLIENT_SUM_OPTIONS                                                               \
    { "by", 'b', OPTION_LIST, CLIENT_FIELD(by), \
      "fs|target|server|job|user|group|node|executable|op", \
      "Group by fs, target, server, job, user, group, node, executable; may be "         \
      "repeated." },                                                                     \
    { "op", 0, OPTION_LIST, CLIENT_FIELD(ops), "OPERATION",                              \
      "The operations to add up: write_bytes, read_bytes, metadata, iops, open ...; "    \
      "may be repeated." }
/* clang-format on */

/* The selection that the options say; relative times are relative to sel->now_ms.
 * sel is initialised.  Errors: -EINVAL (a value that does not fit), -ENOMEM. */
int client_args_select(const struct client_args *args, struct selection *sel,
                       struct err *err);

#endif
