/* SPDX-License-Identifier: Apache-2.0 */
/* sender_quota - how many series and metrics each sender has created, and may create.
 *
 *     sender ─▶ account ─┬─ series, metrics created     a share of what the store holds
 *                        ├─ metrics at its first fill   a site's worth, once
 *                        ├─ metrics left in this hour   a bucket that fills evenly
 *                        └─ lookup keys remembered      a share of the lookup cache
 *
 * A store holds so many series and names of metrics, and gives none back.  Without
 * shares one sender could take all of them in one request, and every other sender's
 * new series would be refused from then on.  What exists may always be written; only
 * creating is charged, to the account of the sender that did it first.  A gateway may
 * carry a whole site, so its share is nearly all of the store; the last of the store
 * (from series_open on) is a reserve for senders that have created little.
 * Accounts are saved and restored as text, so that a restart gives nobody a second
 * share.
 *
 * Units    counts; monotonic nanoseconds.
 * Owns     names are copied; accounts stay as long as the quota.
 * Threads  any.
 */
#ifndef INGEST_SENDER_QUOTA_H
#define INGEST_SENDER_QUOTA_H

#include "base/cleanup.h"
#include "base/config.h"
#include "base/strbuf.h"

struct table;
struct sender_quota;
struct sender_account;

enum sender_scope {
    SENDER_HOST,   /* its token is for one host */
    SENDER_SHARED, /* it may carry many hosts: a gateway, a subscription */
    SENDER_SINGLE, /* one exporter, one local user: no token, and no gateway either */
    SENDER_ADMIN,  /* counted, never refused */
};

struct sender_limits {
    uint64_t series, metrics, keys;
    uint64_t metrics_first; /* of these so many before metrics_per_hour counts */
};

struct sender_quota_opts {
    struct sender_limits host, shared, single;
    /* When there are so many, only senders with fewer than host.series of their own may
     * create more. */
    uint64_t series_open;
    /* How many there are, also of no account: from before there were any.  Called for
     * each new series, with the quota locked.  NULL: what all senders have created. */
    uint64_t (*stored_series)(void *arg);
    void *arg;
    uint64_t metrics_per_hour;      /* new ones, of any sender that is no admin */
    struct config_list allow, deny; /* patterns of new metrics; no allow: all */
};

/* Errors: -ENOMEM. */
int sender_quota_new(const struct sender_quota_opts *opts, struct sender_quota **ret);
void sender_quota_free(struct sender_quota *quota);
DEFINE_AUTO(struct sender_quota, sender_quota_free);

/* Find or make.  Past SENDER_ACCOUNTS_MAX senders, or without memory, those that are
 * new share one account; so it is never NULL.  name: "host a0903", "uid 1000"; cut at
 * SENDER_NAME_MAX. */
#define SENDER_ACCOUNTS_MAX 100000
#define SENDER_NAME_MAX 320
struct sender_account *sender_quota_account(struct sender_quota *quota,
                                            struct span name, enum sender_scope scope);

const char *sender_account_name(const struct sender_account *account);

/* What is to be created; bits. */
enum {
    SENDER_NEW_SERIES = 1,
    SENDER_NEW_METRIC = 2,
};

/* Charge it before it is created.
 * Errors: -EPERM (allow and deny exclude the metric's name), -EDQUOT (beyond the share:
 * it will be refused again), -EAGAIN (too many new metrics in this hour: later it may
 * be created). */
int sender_account_charge(struct sender_account *account, unsigned what,
                          struct span metric, int64_t now_ns);
/* It could not be created after all. */
void sender_account_refund(struct sender_account *account, unsigned what);
/* May one more lookup key of this sender be remembered?  Charged when it may. */
bool sender_account_take_key(struct sender_account *account);
void sender_account_return_key(struct sender_account *account); /* it was not */
/* Until one more metric may be created; 0: now. */
int64_t sender_account_wait_ns(struct sender_account *account, int64_t now_ns);

/* A row a sender, the one with the most series first: sender, series, series_max,
 * metrics, metrics_max, refused.  The table is initialised and empty. */
void sender_quota_report(struct sender_quota *quota, struct table *ret);

struct sender_quota_stats {
    uint64_t senders;
    uint64_t refused_share, refused_rate, refused_name; /* series and metrics */
};
void sender_quota_stats(struct sender_quota *quota, struct sender_quota_stats *ret);

/* The accounts as text, a line each: "<series> <metrics> <scope> <name>". */
void sender_quota_print(struct sender_quota *quota, struct strbuf *out);
/* Into a quota that has no accounts yet.  A bad line costs that line.  Errors: -EBADMSG
 * (err has the first of them; the others are in). */
int sender_quota_parse(struct sender_quota *quota, struct span text, struct err *err);

#endif
