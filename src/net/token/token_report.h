/* SPDX-License-Identifier: Apache-2.0 */
/* token_report - tokens as rows of a table, as JSON, and when they end in a sentence.
 *
 *     expires  role  host  cluster  id  seen  user
 */
#ifndef NET_TOKEN_TOKEN_REPORT_H
#define NET_TOKEN_TOKEN_REPORT_H

#include "base/table/table.h"
#include "net/token/access_token.h"

void token_add_columns(struct table *ret);
/* seen_s: when it was last used, Unix seconds; 0: not known. */
void token_add_row(struct table *ret, const struct token *token, int64_t seen_s);
/* Read a token out of each file into ret, an initialised, empty table; signatures are
 * not verified.
 * Errors: those of file_read(), -EBADMSG (not a token), -ENOMEM; err has the path. */
int token_files_read(char **paths, size_t count, struct table *ret, struct err *err);
/* Leave the rows that expire within_ns after now_ms or before; those that have expired
 * stay, too. */
void token_report_expiring(struct table *table, int64_t now_ms, int64_t within_ns);

/* {"role","id","host","cluster","targets":[],"user","accounts":[],"issued","expires"}
 */
void token_print_json(const struct token *token, struct strbuf *out);

/* "expires in 29 days, at 2027-01-01T00:00:00Z": for logs. */
#define TOKEN_LEFT_TEXT_MAX 96
void token_left_print(char out[static TOKEN_LEFT_TEXT_MAX], const struct token *token,
                      int64_t left_s);

#endif
