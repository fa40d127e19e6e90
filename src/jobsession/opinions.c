/* SPDX-License-Identifier: Apache-2.0 */
/* opinions - what the plugins of a session state comes to one opinion about each node.
 */
#include "jobsession/opinions.h"

#include "base/hashmap.h"
#include "base/span.h"

#include <errno.h>

/* What one check states about a node or a part of it. */
struct node_check {
    struct node_check *next; /* of the same node */
    struct span component, source;
    enum resource_health health;
    char *reason;
    char texts[]; /* component, source */
};

struct judged_node {
    struct node_check *checks;
    enum resource_health health; /* of the last opinion */
    char *reason;
};

struct opinions {
    struct hashmap by_host; /* struct judged_node * */
    size_t check_count;
};

int opinions_new(struct opinions **ret)
{
    *ret = calloc(1, sizeof **ret);
    return *ret ? 0 : -ENOMEM;
}

static void judged_node_free(struct judged_node *node)
{
    struct node_check *check;
    while ((check = node->checks) != NULL) {
        node->checks = check->next;
        free(check->reason);
        free(check);
    }
    free(node->reason);
    free(node);
}

void opinions_free(struct opinions *o)
{
    size_t cursor = 0;
    struct span host;
    uintptr_t *node;
    if (!o)
        return;
    while (hashmap_next(&o->by_host, &cursor, &host, &node))
        judged_node_free((struct judged_node *)*node);
    hashmap_done(&o->by_host);
    free(o);
}

/* ---- what is stated ---- */

static struct judged_node *node_get(struct opinions *o, struct span host)
{
    uintptr_t *at = hashmap_put(&o->by_host, host, NULL);
    if (!at)
        return NULL;
    if (!*at)
        *at = (uintptr_t)calloc(1, sizeof(struct judged_node));
    if (!*at)
        (void)hashmap_remove(&o->by_host, host);
    return at ? (struct judged_node *)*at : NULL;
}

static struct node_check *check_add(struct judged_node *node,
                                    const struct resource_statement *s)
{
    struct node_check *check =
        calloc(1, sizeof *check + s->component.size + s->source.size);
    if (!check)
        return NULL;
    memcpy(check->texts, s->component.data, s->component.size);
    memcpy(check->texts + s->component.size, s->source.data, s->source.size);
    check->component = (struct span){ check->texts, s->component.size };
    check->source = (struct span){ check->texts + s->component.size, s->source.size };
    check->next = node->checks;
    node->checks = check;
    return check;
}

static int check_get(struct opinions *o, struct judged_node *node,
                     const struct resource_statement *s, struct node_check **ret)
{
    for (*ret = node->checks; *ret; *ret = (*ret)->next)
        if (span_eq((*ret)->component, s->component) &&
            span_eq((*ret)->source, s->source))
            return 0;
    if (o->check_count == OPINIONS_CHECKS_MAX)
        return -ENOSPC;
    *ret = check_add(node, s);
    o->check_count += *ret != NULL;
    return *ret ? 0 : -ENOMEM;
}

/* ---- what it comes to ---- */

/* "session/n1/dimm:3": cut off "session" and "n1". */
static int component_cut(struct span *component, struct span *ret_host)
{
    struct span cluster;
    (void)span_cut(component, '/', &cluster);
    (void)span_cut(component, '/', ret_host);
    return ret_host->size > 0 ? 0 : -EINVAL;
}

static const struct node_check *check_worst(const struct judged_node *node)
{
    const struct node_check *worst = NULL;
    for (const struct node_check *c = node->checks; c; c = c->next)
        if (!worst || c->health > worst->health)
            worst = c;
    return worst;
}

static int opinion_reason(const struct node_check *worst, struct strbuf *ret)
{
    struct span part = worst->component, host;
    if (worst->health == RESOURCE_UP)
        return 0;
    (void)component_cut(&part, &host);
    size_t size = strlen(worst->reason);
    if (part.size > 0 && part.size + 2 + size <= RESOURCE_REASON_BYTES_MAX)
        strbuf_addf(ret, SPAN_FMT ": ", SPAN_ARG(part));
    strbuf_adds(ret, worst->reason);
    return strbuf_error(ret);
}

static int node_judge(struct judged_node *node, struct span host, int64_t t_ns,
                      struct strbuf *ret)
{
    AUTO(strbuf_done) struct strbuf reason = STRBUF_INIT;
    const struct node_check *worst = check_worst(node);
    int rc = opinion_reason(worst, &reason);
    if (rc < 0)
        return rc;
    if (worst->health == node->health &&
        strcmp(strbuf_text(&reason), node->reason ? node->reason : "") == 0)
        return 0;
    char *copy = strdup(strbuf_text(&reason));
    AUTO(strbuf_done) struct strbuf component = STRBUF_INIT;
    component_print(&component,
                    &(struct component){ .cluster = SPAN("session"), .host = host });
    const struct resource_statement opinion = { .component = strbuf_span(&component),
                                                .health = worst->health,
                                                .reason = strbuf_span(&reason),
                                                .t_ns = t_ns };
    resource_statement_print_line(&opinion, ret);
    if (!copy || strbuf_error(&component) < 0 || strbuf_error(ret) < 0) {
        free(copy);
        return -ENOMEM;
    }
    ret->data[--ret->size] = '\0'; /* its newline */
    free(node->reason);
    node->reason = copy;
    node->health = worst->health;
    return 1;
}

int opinions_accept(struct opinions *o, const struct resource_statement *s,
                    struct strbuf *ret)
{
    struct span below = s->component, host;
    struct node_check *check = NULL;
    int rc = component_cut(&below, &host);
    if (rc < 0)
        return rc;
    struct judged_node *node = node_get(o, host);
    char *reason = strndup(s->reason.size ? s->reason.data : "", s->reason.size);
    rc = node && reason ? check_get(o, node, s, &check) : -ENOMEM;
    if (rc < 0) {
        free(reason);
        return rc;
    }
    free(check->reason);
    check->reason = reason;
    check->health = s->health;
    return node_judge(node, host, s->t_ns, ret);
}
