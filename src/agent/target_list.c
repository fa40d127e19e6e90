/* SPDX-License-Identifier: Apache-2.0 */
/* target_list - which targets a server has. */
#include "agent/target_list.h"

#include "agent/param.h"
#include "base/number.h"
#include "base/span.h"

bool target_is_wanted(const struct config_list *filesystems, struct span target)
{
    struct target_name name;
    if (!filesystems || filesystems->count == 0)
        return true;
    struct span fs = target_parse(target, &name) == 0 ? name.fs : target;
    for (size_t i = 0; i < filesystems->count; i++)
        if (span_glob(fs, filesystems->items[i]))
            return true;
    return false;
}

int target_list_parse(struct span text, const struct config_list *filesystems,
                      struct observe_listed **ret, size_t *ret_count)
{
    size_t count = 0, capacity = 1;
    for (size_t i = 0; i < text.size; i++)
        capacity += text.data[i] == '\n';
    AUTO_FREE struct observe_listed *listed = calloc(capacity, sizeof listed[0]);
    if (!listed)
        return -ENOMEM;
    struct span rest = text, line;
    while (rest.size && count < capacity) {
        (void)span_cut(&rest, '\n', &line);
        if (agent_parse_param(span_trim(line), "job_stats", &listed[count].name,
                              &listed[count].kind) == 0 &&
            target_is_wanted(filesystems, listed[count].name))
            count++;
    }
    *ret = TAKE(listed);
    *ret_count = count;
    return 0;
}

int target_cleanup_name(struct span line, struct observe_listed *ret)
{
    struct span param, rest = line;
    if (!span_cut(&rest, '=', &param))
        return -EINVAL;
    return agent_parse_param(span_trim(param), "job_cleanup_interval", &ret->name,
                             &ret->kind);
}

int target_cleanup_parse(struct span line, struct target_cleanup *ret)
{
    struct span param, value = line;
    struct observe_listed target;
    uint64_t cleanup_s = 0;
    if (target_cleanup_name(line, &target) < 0)
        return -EINVAL;
    (void)span_cut(&value, '=', &param);
    if (number_parse_u64(span_trim(value), &cleanup_s) < 0 || cleanup_s > UINT32_MAX)
        return -EINVAL;
    *ret = (struct target_cleanup){ target, (int64_t)cleanup_s * MS_PER_S };
    return 0;
}

void target_cleanup_apply(struct span text, struct observe *observe,
                          target_cleanup_fn *fn, void *arg)
{
    struct span rest = text, line;
    while (rest.size) {
        struct target_cleanup cleanup;
        (void)span_cut(&rest, '\n', &line);
        if (target_cleanup_parse(line, &cleanup) < 0)
            continue;
        struct observe_target *target =
            observe_target_find(observe, cleanup.target.name);
        if (!target)
            continue;
        observe_target_set_cleanup(target, cleanup.cleanup_ms);
        if (fn)
            fn(arg, target);
    }
}
