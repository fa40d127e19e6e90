/* SPDX-License-Identifier: Apache-2.0 */
/* forward - samples to other engines by Prometheus remote write. */
#include "forward/forward.h"

#include "forward/target.h"

#include <errno.h>
#include <stdlib.h>

#define TARGETS_MAX 16

struct forward {
    struct forward_source source;
    struct forward_target *targets[TARGETS_MAX];
    size_t count;
};

int forward_new(const struct forward_source *source, struct forward **ret,
                struct err *err)
{
    struct forward *forward = calloc(1, sizeof *forward);
    if (!forward)
        return err_set(err, ENOMEM, "out of memory");
    forward->source = *source;
    *ret = forward;
    return 0;
}

int forward_check(const char *name, const struct forward_opts *opts, struct err *err)
{
    return target_check(name, opts, err);
}

int forward_add(struct forward *forward, const char *name,
                const struct forward_opts *opts, struct err *err)
{
    if (forward->count == TARGETS_MAX)
        return err_set(err, EINVAL, "forward %s: more than %d targets", name,
                       TARGETS_MAX);
    int rc = target_new(&forward->source, name, opts, &forward->targets[forward->count],
                        err);
    forward->count += rc == 0;
    return rc;
}

int forward_start(struct forward *forward, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < forward->count; i++)
        rc = target_start(forward->targets[i], err);
    return rc;
}

void forward_free(struct forward *forward)
{
    if (!forward)
        return;
    for (size_t i = 0; i < forward->count; i++)
        target_free(forward->targets[i]);
    free(forward);
}

void forward_put(struct forward *forward, const struct sample *samples, size_t count)
{
    int64_t oldest_ns = forward->source.oldest_ns(forward->source.arg);
    for (size_t i = 0; i < forward->count; i++)
        target_put(forward->targets[i], samples, count, oldest_ns);
}

size_t forward_count(const struct forward *forward)
{
    return forward->count;
}

void forward_stats(struct forward *forward, size_t index, const char **ret_name,
                   struct forward_stats *ret)
{
    *ret_name = target_name(forward->targets[index]);
    target_stats(forward->targets[index], ret);
}
