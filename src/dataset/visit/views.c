/* SPDX-License-Identifier: Apache-2.0 */
/* views - views of a visit's datasets, read and applied one change at a time. */
#include "dataset/visit/visit.h"

#include "base/span.h"
#include "dataset/view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines up to an empty one. */
static int text_receive(const struct visit *visit, char text[static VIEW_TEXT_MAX],
                        size_t *ret_size)
{
    char line[AGENT_LINE_MAX];
    size_t length = 0, size = 0;
    for (;;) {
        int rc = agent_line_receive(visit->fd, line, &length, NULL);
        if (rc < 0)
            return rc;
        if (length == 0)
            break;
        if (length + 1 > VIEW_TEXT_MAX - size)
            return -E2BIG;
        memcpy(text + size, line, length);
        text[size + length] = '\n';
        size += length + 1;
    }
    *ret_size = size;
    return 0;
}

static int change_apply(const struct view_change *change, const char *path,
                        const struct visit_environment *environment, char *value,
                        struct err *err)
{
    char name[VIEW_VARIABLE_MAX + 1];
    (void)snprintf(name, sizeof name, "%.*s", (int)change->name.size,
                   change->name.data);
    int rc =
        view_value(change, path, environment->find(environment->arg, name), value, err);
    return rc < 0 ? rc : environment->set(environment->arg, name, value, err);
}

static int text_apply(struct span text, const char *path,
                      const struct visit_environment *environment, struct err *err)
{
    struct view_change change;
    char *value = malloc(VIEW_VALUE_SIZE);
    int rc = value ? view_check(text, err) : -ENOMEM, more = rc == 0;
    while (rc == 0 && (more = view_next(&text, &change, err)) > 0)
        rc = change_apply(&change, path, environment, value, err);
    rc = rc == 0 && more < 0 ? more : rc;
    free(value);
    return rc;
}

int visit_view_apply(const struct visit *visit, struct span name,
                     const struct visit_environment *environment, struct err *err)
{
    struct agent_request request = { .kind = AGENT_REQUEST_VIEW };
    char text[VIEW_TEXT_MAX];
    unsigned found = 0;
    int rc = view_name_check(name, err);
    if (rc < 0)
        return rc;
    memcpy(request.name, name.data, name.size);
    for (size_t i = 0; i < visit->count; i++) {
        size_t size = 0;
        request.number = i;
        rc = visit_query(visit, &request, err);
        if (rc == -ENODATA)
            continue;
        if (rc == 0)
            rc = err_prefix(err, text_receive(visit, text, &size), "the agent");
        if (rc == 0)
            rc = text_apply((struct span){ text, size }, visit->datasets[i].path,
                            environment, err);
        if (rc < 0)
            return err_prefix(err, rc, "view '%.*s' of dataset '%s'", (int)name.size,
                              name.data, visit->datasets[i].name);
        found++;
    }
    return found ? 0
                 : err_set(err, ENODATA,
                           "none of the datasets has a view '%.*s' (baro dataset view "
                           "DATASET lists them)",
                           (int)name.size, name.data);
}
