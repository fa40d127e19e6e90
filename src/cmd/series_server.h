/* SPDX-License-Identifier: Apache-2.0 */
/* series_server - a running barod as a series of what servers measured.
 *
 *     barod                            where BARO_SERVER says, or the usual socket
 *     unix:/run/barograph/barod.sock   or an address: http://..., https://...
 */
#ifndef CMD_SERIES_SERVER_H
#define CMD_SERIES_SERVER_H

#include "source/lmt/lmt.h"

/* How to get at series, beyond their names.  All may be NULL. */
struct series_way {
    const char *zone;       /* of LMT databases; NULL: UTC */
    const char *server;     /* what "barod" means; NULL: BARO_SERVER, or the usual */
    const char *token_file; /* NULL: BARO_TOKEN_FILE, or none */
    const char *ca_file;
};

/* Of a command whose arguments hold a struct series_way. */
/* clang-format off */
#define SERIES_TOKEN_OPTIONS(args, member)                                               \
    { "token-file", 0, OPTION_TEXT, offsetof(args, member.token_file), "FILE",           \
      "The token to show to a barod; default: BARO_TOKEN_FILE, or none." },              \
    { "ca-file", 0, OPTION_TEXT, offsetof(args, member.ca_file), "FILE",                 \
      "Who may have signed its certificate; default: the system's." }
#define SERIES_WAY_OPTIONS(args, member)                                                 \
    { "zone", 'z', OPTION_TEXT, offsetof(args, member.zone), "ZONE",                     \
      "The time zone of LMT databases and of mmperfmon (America/Los_Angeles); default: " \
      "UTC." },                                                                          \
    SERIES_TOKEN_OPTIONS(args, member)
#define SERIES_FS_OPTION(args, member)                                                   \
    { "filesystem", 'F', OPTION_TEXT, offsetof(args, member), "NAME",                    \
      "Of a barod only this one, as Lustre calls it; default: all." }
/* clang-format on */

/* Whether a series of this name is a barod's. */
bool series_server_is(const char *name);

/* What a person should know of the answers is said on standard error, once.
 * Errors: as lmt_barod_open(), and those of client/http.h. */
int series_server_open(const char *name, const struct series_way *way,
                       const struct lmt_opts *opts, struct lmt_series **ret,
                       struct err *err);

#endif
