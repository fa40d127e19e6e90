/* SPDX-License-Identifier: Apache-2.0 */
/* opts - how series are opened: time zone, server, tokens, and where faults are
 * reported. */
#ifndef CLIENT_SERIES_OPTS_H
#define CLIENT_SERIES_OPTS_H

#include "base/options.h"

/* What the user should know of an input, as one line: what could not be read of it. */
typedef void series_log_fn(void *arg, const char *text);

/* How to open series, beyond their names.  All may be NULL; the texts are the caller's
 * and outlive what is opened with them. */
struct series_opts {
    const char *zone;       /* of LMT databases; NULL: UTC */
    const char *server;     /* what "barod" means; NULL: BARO_SERVER, or the usual */
    const char *token_file; /* NULL: BARO_TOKEN_FILE, or none */
    const char *ca_file;    /* NULL: the system's */
    series_log_fn *log;     /* NULL: nothing is reported */
    void *log_arg;
};

/* Report a line, formatted, to the log of opts; opts may be NULL. */
void series_log(const struct series_opts *opts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Of a command whose arguments hold a struct series_opts. */
/* clang-format off */
#define SERIES_TOKEN_OPTIONS(args, member)                                               \
    { "token-file", 0, OPTION_TEXT, offsetof(args, member.token_file), "FILE",           \
      "The access token file of a barod; default: BARO_TOKEN_FILE, or none." },              \
    { "ca-file", 0, OPTION_TEXT, offsetof(args, member.ca_file), "FILE",                 \
      "The CA bundle for its certificate; default: the system's." }
#define SERIES_OPTIONS(args, member)                                                 \
    { "zone", 'z', OPTION_TEXT, offsetof(args, member.zone), "ZONE",                     \
      "The time zone of LMT databases and of mmperfmon (America/Los_Angeles); default: " \
      "UTC." },                                                                          \
    SERIES_TOKEN_OPTIONS(args, member)
#define SERIES_FS_OPTION(args, member)                                                   \
    { "filesystem", 'F', OPTION_TEXT, offsetof(args, member), "NAME",                    \
      "Only this file system of a barod, by its name in Lustre; default: all." }
/* clang-format on */

#endif
