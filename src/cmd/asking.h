/* SPDX-License-Identifier: Apache-2.0 */
/* asking - what baro's questions share: options, the way to the answer, its printing.
 *
 *     options ─▶ name=value pairs ─┬▶ barod (REST) ────────┬▶ table ─▶ terminal, JSON,
 * CSV └▶ a database directly ─┘
 *
 * Both ways take the same pairs, and give the same tables.
 */
#ifndef CMD_ASKING_H
#define CMD_ASKING_H

#include "base/options.h"
#include "query/query.h"

#define ASKING_SERVER_DEFAULT "unix:/run/barograph/barod.sock"

/* The first field of each question's arguments. */
struct asking_args {
    const char *server, *token_file, *ca_file, *records, *output;
    bool raw;
    const char *fs, *target, *lustre_server, *job, *user, *group, *node, *executable;
    const char *entry, *id;
    struct option_list ops, by;
    const char *from, *to, *last, *step;
    uint64_t limit;
    bool density;
};

#define ASKING_FIELD(field) offsetof(struct asking_args, field)

/* One option a line or two. */
/* clang-format off */
#define ASKING_SERVER_OPTIONS                                                            \
    { "server", 's', OPTION_TEXT, ASKING_FIELD(server), "URL",                           \
      "Where barod answers; default: BARO_SERVER, or " ASKING_SERVER_DEFAULT },          \
    { "token-file", 0, OPTION_TEXT, ASKING_FIELD(token_file), "FILE",                    \
      "The token to show; default: BARO_TOKEN_FILE, or none." },                         \
    { "ca-file", 0, OPTION_TEXT, ASKING_FIELD(ca_file), "FILE",                          \
      "Who may have signed the server's certificate; default: the system's." }

#define ASKING_FORM_OPTIONS                                                              \
    { "output", 'o', OPTION_TEXT, ASKING_FIELD(output), "FORM",                          \
      "table (default), json or csv." },                                                 \
    { "raw", 0, OPTION_FLAG, ASKING_FIELD(raw), NULL,                                    \
      "Numbers in full in tables, not 1.2 GiB/s." }

#define ASKING_WAY_OPTIONS                                                               \
    ASKING_SERVER_OPTIONS,                                                               \
    { "records", 0, OPTION_TEXT, ASKING_FIELD(records), "DATABASE",                      \
      "Read a database without a daemon: SQLite's file, or PostgreSQL's "                \
      "connection string." },                                                            \
    ASKING_FORM_OPTIONS

#define ASKING_FILTER_OPTIONS                                                            \
    { "fs", 0, OPTION_TEXT, ASKING_FIELD(fs), "NAME",                                    \
      "Only this file system, by the name the site gives it." },                         \
    { "target", 't', OPTION_TEXT, ASKING_FIELD(target), "PATTERN",                       \
      "Only targets that fit, such as 'scratch-OST*'." },                                \
    { "job", 'j', OPTION_TEXT, ASKING_FIELD(job), "ID", "Only this job." },              \
    { "user", 'u', OPTION_TEXT, ASKING_FIELD(user), "ID", "Only this user." },           \
    { "group", 0, OPTION_TEXT, ASKING_FIELD(group), "ID", "Only this group." },          \
    { "node", 'n', OPTION_TEXT, ASKING_FIELD(node), "NAME", "Only this node." },         \
    { "executable", 'e', OPTION_TEXT, ASKING_FIELD(executable), "NAME",                  \
      "Only this executable." },                                                         \
    { "entry", 0, OPTION_TEXT, ASKING_FIELD(entry), "ID",                                \
      "Only this identifier, in its text form." },                                       \
    { "id", 0, OPTION_TEXT, ASKING_FIELD(id), "UUID", "Only this time series." },        \
    { "limit", 'l', OPTION_LIMIT, ASKING_FIELD(limit), "COUNT",                          \
      "So many rows at most." }

#define ASKING_WINDOW_OPTIONS                                                            \
    { "lustre-server", 0, OPTION_TEXT, ASKING_FIELD(lustre_server), "NAME",              \
      "Only what this Lustre server observed." },                                        \
    { "from", 0, OPTION_TEXT, ASKING_FIELD(from), "TIME",                                \
      "The window's beginning: 2026-11-21T06:00Z, -2h, @1669010520." },                  \
    { "to", 0, OPTION_TEXT, ASKING_FIELD(to), "TIME",                                    \
      "Its end; default: the newest observation, or now." },                             \
    { "last", 0, OPTION_TEXT, ASKING_FIELD(last), "DURATION",                            \
      "Its length up to its end, instead of a beginning: 10m, 2h." }

#define ASKING_SUM_OPTIONS                                                               \
    { "by", 'b', OPTION_LIST, ASKING_FIELD(by), "WHAT",                                  \
      "Group by fs, target, server, job, user, group, node, executable; may be "         \
      "repeated." },                                                                     \
    { "op", 0, OPTION_LIST, ASKING_FIELD(ops), "OPERATION",                              \
      "What is added up: write_bytes, read_bytes, metadata, iops, open ...; "            \
      "may be repeated." }
/* clang-format on */

enum asking_question {
    ASKING_TOP,
    ASKING_RATES,
    ASKING_SERIES,
};

struct net_client;
struct net_answer;

/* The client that the way's options name: --server, --token-file, --ca-file.  Errors:
 * what reading the token says, -EINVAL (the URL). */
int asking_client_new(const struct asking_args *args, struct net_client **ret,
                      struct err *err);

/* What to look at when nobody answers; returns rc. */
int asking_no_answer(struct err *err, int rc);
/* net_answer_check(), and which option helps where a token is asked for. */
int asking_answer_check(const struct net_answer *answer, struct err *err);
/* One GET with a client of its own, and both checks; *ret is the caller's to end, also
 * after an error. */
int asking_get(const struct asking_args *args, const char *path, struct net_answer *ret,
               struct err *err);

struct asking;

/* command names the command in messages.  Errors: -EINVAL, what opening says. */
int asking_open(const struct asking_args *args, struct asking **ret, struct err *err);
void asking_close(struct asking *asking);
DEFINE_AUTO(struct asking, asking_close);

/* The table is initialised and empty. */
int asking_table(struct asking *asking, enum asking_question question,
                 struct table *ret, struct err *err);
/* parts: ASK_JOB_PART_COUNT such tables. */
int asking_job(struct asking *asking, struct table *parts, struct err *err);

/* ---- printing ---- */

struct asking_form {
    enum table_form form;
    struct table_print_opts print;
    bool has_blocks; /* the terminal shows U+2581 .. U+2588 */
};

/* Errors: -EINVAL (--output). */
int asking_form_init(const struct asking_args *args, struct asking_form *ret,
                     struct err *err);
/* Append the table as the form says; in JSON and CSV the notes go to notes. */
void asking_print(const struct table *table, const struct asking_form *form,
                  struct strbuf *out, struct strbuf *notes);

/* The whole of a command that asks once for one table. */
int asking_run(const struct asking_args *args, enum asking_question question,
               const char *command);

#endif
