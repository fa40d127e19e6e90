/* SPDX-License-Identifier: Apache-2.0 */
/* token_watch - the tokens that were used, and when each of them ends.
 *
 * A server knows no list of the tokens that were made: only those that clients show it.
 * Tokens that no client has shown for TOKEN_WATCH_DAYS are forgotten, so that one that
 * was replaced is not reported until it ends.
 *
 * Units    seconds since the Unix epoch.
 * Threads  any.
 */
#ifndef NET_TOKEN_TOKEN_WATCH_H
#define NET_TOKEN_TOKEN_WATCH_H

#include "base/table/table.h"
#include "net/token/access_token.h"

#define TOKEN_WATCH_MAX 20000 /* more are not watched */
#define TOKEN_WATCH_DAYS 7
#define TOKEN_REMIND_DAYS 30

struct token_watch;

/* Errors: -ENOMEM. */
int token_watch_new(struct token_watch **ret);
void token_watch_free(struct token_watch *watch);
DEFINE_AUTO(struct token_watch, token_watch_free);

/* token was shown, and is valid. */
void token_watch_see(struct token_watch *watch, const struct token *token,
                     int64_t now_s);
/* What is left of the one that ends first; false: none is known. */
bool token_watch_left(struct token_watch *watch, int64_t now_s, int64_t *ret_left_s);
/* fn for each that ends within TOKEN_REMIND_DAYS, once a day each; it must not call
 * back. */
typedef void token_remind_fn(void *arg, const struct token *token, int64_t left_s);
void token_watch_remind(struct token_watch *watch, int64_t now_s, token_remind_fn *fn,
                        void *arg);
/* A row a token, the one that ends first first; the table is initialised and empty. */
void token_watch_report(struct token_watch *watch, int64_t now_s, struct table *ret);
#endif
