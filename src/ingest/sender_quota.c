/* SPDX-License-Identifier: Apache-2.0 */
/* sender_quota - how many series and metrics each sender has created, and may create.
 */
#include "ingest/sender_quota.h"

#include "base/hashmap.h"
#include "base/number.h"
#include "base/span.h"
#include "base/table/table.h"

#include <errno.h>
#include <stdlib.h>

struct sender_account {
    struct sender_quota *quota;
    char *name;
    enum sender_scope scope;
    /* Under the quota's lock: */
    uint64_t series, metrics, keys;
    uint64_t refused; /* series and metrics */
    double metrics_left;
    int64_t filled_ns; /* when metrics_left was brought up to date; 0: never */
};

struct sender_quota {
    struct sender_quota_opts opts;
    pthread_mutex_t lock; /* of all that follows */
    struct hashmap by_name;
    struct sender_account **accounts;
    size_t count, capacity;
    struct sender_account others;
    uint64_t series; /* of all accounts */
    struct sender_quota_stats stats;
};

static const char *const scope_names[] = {
    [SENDER_HOST] = "host",
    [SENDER_SHARED] = "shared",
    [SENDER_SINGLE] = "single",
    [SENDER_ADMIN] = "admin",
};

int sender_quota_new(const struct sender_quota_opts *opts, struct sender_quota **ret)
{
    static char others[] = "all other senders";
    struct sender_quota *quota = calloc(1, sizeof *quota);
    if (!quota)
        return -ENOMEM;
    quota->opts = *opts;
    (void)pthread_mutex_init(&quota->lock, NULL);
    quota->others = (struct sender_account){ .quota = quota,
                                             .name = others,
                                             .scope = SENDER_SHARED };
    *ret = quota;
    return 0;
}

void sender_quota_free(struct sender_quota *quota)
{
    if (!quota)
        return;
    for (size_t i = 0; i < quota->count; i++) {
        free(quota->accounts[i]->name);
        free(quota->accounts[i]);
    }
    free(quota->accounts);
    hashmap_done(&quota->by_name);
    (void)pthread_mutex_destroy(&quota->lock);
    free(quota);
}

/* ---- accounts ---- */

static int reserve(struct sender_quota *quota)
{
    if (quota->count < quota->capacity)
        return 0;
    size_t capacity = quota->capacity ? quota->capacity * 2 : 64;
    struct sender_account **accounts =
        realloc(quota->accounts, capacity * sizeof(struct sender_account *));
    if (!accounts)
        return -ENOMEM;
    quota->accounts = accounts;
    quota->capacity = capacity;
    return 0;
}

static struct sender_account *add_account(struct sender_quota *quota, struct span name,
                                          enum sender_scope scope)
{
    if (quota->count >= SENDER_ACCOUNTS_MAX || reserve(quota) < 0)
        return NULL;
    AUTO_FREE struct sender_account *account = calloc(1, sizeof *account);
    AUTO_FREE char *text = span_dup(name);
    uintptr_t *value =
        account && text ? hashmap_put(&quota->by_name, name, NULL) : NULL;
    if (!value)
        return NULL;
    *value = quota->count;
    account->quota = quota;
    account->name = TAKE(text);
    account->scope = scope;
    quota->accounts[quota->count++] = account;
    return TAKE(account);
}

struct sender_account *sender_quota_account(struct sender_quota *quota,
                                            struct span name, enum sender_scope scope)
{
    /* As it is saved, and read again. */
    if (name.size > SENDER_NAME_MAX)
        name.size = SENDER_NAME_MAX;
    LOCKED(&quota->lock);
    const uintptr_t *index = hashmap_get(&quota->by_name, name);
    struct sender_account *account =
        index ? quota->accounts[*index] : add_account(quota, name, scope);
    if (!account)
        return &quota->others;
    account->scope = scope;
    return account;
}

static void add_created(struct sender_account *account, uint64_t series,
                        uint64_t metrics)
{
    account->series += series;
    account->metrics += metrics;
    account->quota->series += series;
}

const char *sender_account_name(const struct sender_account *account)
{
    return account->name;
}

/* ---- charging ---- */

static const struct sender_limits *limits_of(const struct sender_account *account)
{
    const struct sender_quota_opts *opts = &account->quota->opts;
    return account->scope == SENDER_HOST     ? &opts->host
           : account->scope == SENDER_SINGLE ? &opts->single
                                             : &opts->shared;
}

static void fill(struct sender_account *account, int64_t now_ns)
{
    double most = (double)account->quota->opts.metrics_per_hour;
    double passed_h = (double)(now_ns - account->filled_ns) / (3600 * (double)NS_PER_S);
    double left = account->metrics_left + passed_h * most;
    if (account->filled_ns == 0 || left > most)
        left = most;
    if (account->filled_ns == 0 || passed_h > 0)
        account->metrics_left = left;
    if (account->filled_ns == 0 || passed_h > 0)
        account->filled_ns = now_ns;
}

static bool is_one_of(struct span name, const struct config_list *patterns)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (span_glob(name, patterns->items[i]))
            return true;
    return false;
}

static bool may_be_named(const struct sender_quota_opts *opts, struct span metric)
{
    return (opts->allow.count == 0 || is_one_of(metric, &opts->allow)) &&
           !is_one_of(metric, &opts->deny);
}

static uint64_t series_of(const struct sender_quota *quota)
{
    uint64_t (*stored)(void *arg) = quota->opts.stored_series;
    uint64_t there = stored ? stored(quota->opts.arg) : 0;
    return there > quota->series ? there : quota->series;
}

/* The last part of the store is for senders that have created little. */
static bool is_share_used(const struct sender_account *account)
{
    const struct sender_quota *quota = account->quota;
    return account->series >= limits_of(account)->series ||
           (account->series >= quota->opts.host.series &&
            series_of(quota) >= quota->opts.series_open);
}

/* Its next new metric is of its first fill: a site that starts to send has all its
 * names at once. */
static bool is_first_fill(const struct sender_account *account)
{
    return account->metrics < limits_of(account)->metrics_first;
}

static int judge(struct sender_account *account, unsigned what, struct span metric,
                 int64_t now_ns)
{
    const struct sender_limits *limits = limits_of(account);
    struct sender_quota_stats *stats = &account->quota->stats;
    bool is_metric = what & SENDER_NEW_METRIC;
    if (account->scope == SENDER_ADMIN)
        return 0;
    if (is_metric && !may_be_named(&account->quota->opts, metric)) {
        stats->refused_name++;
        return -EPERM;
    }
    if ((what & SENDER_NEW_SERIES && is_share_used(account)) ||
        (is_metric && account->metrics >= limits->metrics)) {
        stats->refused_share++;
        return -EDQUOT;
    }
    fill(account, now_ns);
    if (!is_metric || is_first_fill(account))
        return 0;
    if (account->metrics_left < 1) {
        stats->refused_rate++;
        return -EAGAIN;
    }
    account->metrics_left--;
    return 0;
}

int sender_account_charge(struct sender_account *account, unsigned what,
                          struct span metric, int64_t now_ns)
{
    LOCKED(&account->quota->lock);
    int rc = judge(account, what, metric, now_ns);
    if (rc < 0) {
        account->refused++;
        return rc;
    }
    add_created(account, (what & SENDER_NEW_SERIES) != 0,
                (what & SENDER_NEW_METRIC) != 0);
    return 0;
}

void sender_account_refund(struct sender_account *account, unsigned what)
{
    LOCKED(&account->quota->lock);
    account->series -= (what & SENDER_NEW_SERIES) != 0;
    account->quota->series -= (what & SENDER_NEW_SERIES) != 0;
    account->metrics -= (what & SENDER_NEW_METRIC) != 0;
    if (what & SENDER_NEW_METRIC && !is_first_fill(account))
        account->metrics_left++;
}

bool sender_account_take_key(struct sender_account *account)
{
    LOCKED(&account->quota->lock);
    if (account->scope != SENDER_ADMIN && account->keys >= limits_of(account)->keys)
        return false;
    account->keys++;
    return true;
}

void sender_account_return_key(struct sender_account *account)
{
    LOCKED(&account->quota->lock);
    account->keys--;
}

int64_t sender_account_wait_ns(struct sender_account *account, int64_t now_ns)
{
    LOCKED(&account->quota->lock);
    double per_hour = (double)account->quota->opts.metrics_per_hour;
    fill(account, now_ns);
    double missing = 1 - account->metrics_left;
    if (missing <= 0)
        return 0;
    return per_hour > 0 ? (int64_t)(missing / per_hour * 3600 * (double)NS_PER_S) + 1
                        : 3600 * NS_PER_S;
}

/* ---- reports ---- */

static int compare_accounts(const void *a, const void *b)
{
    const struct sender_account *x = *(struct sender_account *const *)a;
    const struct sender_account *y = *(struct sender_account *const *)b;
    if (x->series != y->series)
        return x->series < y->series ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void add_row(const struct sender_account *account, struct table *ret)
{
    const struct sender_limits *limits = limits_of(account);
    table_add_row(ret);
    table_set_text(ret, 0, span_of(account->name));
    table_set_u64(ret, 1, account->series);
    table_set_u64(ret, 3, account->metrics);
    table_set_u64(ret, 5, account->refused);
    if (account->scope == SENDER_ADMIN)
        return;
    table_set_u64(ret, 2, limits->series);
    table_set_u64(ret, 4, limits->metrics);
}

void sender_quota_report(struct sender_quota *quota, struct table *ret)
{
    static const char *const columns[] = { "series", "series_max", "metrics",
                                           "metrics_max", "refused" };
    LOCKED(&quota->lock);
    table_add_column(ret, "sender", TABLE_TEXT, "");
    for (size_t i = 0; i < COUNT_OF(columns); i++)
        table_add_column(ret, columns[i], TABLE_U64, "");
    size_t count = quota->count;
    AUTO_FREE struct sender_account **sorted =
        malloc((count + 1) * sizeof(struct sender_account *));
    if (!sorted) {
        ret->error = -ENOMEM;
        return;
    }
    if (count > 0)
        memcpy(sorted, quota->accounts, count * sizeof(struct sender_account *));
    if (quota->others.series || quota->others.metrics || quota->others.refused)
        sorted[count++] = &quota->others;
    qsort(sorted, count, sizeof(struct sender_account *), compare_accounts);
    for (size_t i = 0; i < count; i++)
        add_row(sorted[i], ret);
}

void sender_quota_stats(struct sender_quota *quota, struct sender_quota_stats *ret)
{
    LOCKED(&quota->lock);
    *ret = quota->stats;
    ret->senders = quota->count;
}

/* ---- as text ---- */

void sender_quota_print(struct sender_quota *quota, struct strbuf *out)
{
    LOCKED(&quota->lock);
    for (size_t i = 0; i < quota->count; i++) {
        const struct sender_account *account = quota->accounts[i];
        if (account->series || account->metrics)
            strbuf_addf(out, "%llu %llu %s %s\n", (unsigned long long)account->series,
                        (unsigned long long)account->metrics,
                        scope_names[account->scope], account->name);
    }
}

static int parse_line(struct sender_quota *quota, struct span line)
{
    struct span rest = line, series, metrics, scope;
    uint64_t series_count, metric_count;
    if (!span_cut(&rest, ' ', &series) || !span_cut(&rest, ' ', &metrics) ||
        !span_cut(&rest, ' ', &scope) || rest.size == 0 ||
        rest.size > SENDER_NAME_MAX || number_parse_u64(series, &series_count) < 0 ||
        number_parse_u64(metrics, &metric_count) < 0)
        return -EBADMSG;
    for (size_t i = 0; i < COUNT_OF(scope_names); i++) {
        if (!span_is(scope, scope_names[i]))
            continue;
        struct sender_account *account =
            sender_quota_account(quota, rest, (enum sender_scope)i);
        add_created(account, series_count, metric_count);
        return 0;
    }
    return -EBADMSG;
}

int sender_quota_parse(struct sender_quota *quota, struct span text, struct err *err)
{
    struct span line;
    unsigned first = 0, bad = 0;
    for (unsigned number = 1; text.size > 0; number++) {
        (void)span_cut(&text, '\n', &line);
        if (line.size == 0 || parse_line(quota, line) == 0)
            continue;
        first = bad++ == 0 ? number : first;
    }
    return bad == 0 ? 0
                    : err_set(err, EBADMSG,
                              "line %u (and %u others): it is not \"series metrics "
                              "scope sender\"",
                              first, bad - 1);
}
