/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_state - up to which message of the kernel all is done. */
#include "agent/sampling/kernel_state.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <inttypes.h>

static const char first_line[] = "baro-kernel 1";

static const char *const healths[] = { "none", "up", "degraded", "down" };

void kernel_part_name(struct span component, char out[KMSG_COMPONENT_BYTES_MAX + 1])
{
    size_t size = component.size < KMSG_COMPONENT_BYTES_MAX ? component.size
                                                            : KMSG_COMPONENT_BYTES_MAX;
    for (size_t i = 0; i < size; i++) {
        char c = component.data[i];
        out[i] = c <= ' ' || c > '~' || c == '/' || c == '\\' ? '_' : c;
    }
    out[size] = '\0';
}

void kernel_state_print(const struct kernel_state *state, struct strbuf *out)
{
    strbuf_addf(out, "%s\nboot %s\nnext %" PRIu64 "\n", first_line, state->boot,
                state->next);
    for (size_t i = 0; i < state->health_count; i++) {
        const struct kernel_health *h = &state->healths[i];
        strbuf_addf(out, "health %s %" PRId64 " %s %s\n", healths[h->health],
                    h->until_ns, h->part, h->reason);
    }
}

static void line_copy(struct span text, size_t size_max, char *out)
{
    size_t size = text.size < size_max ? text.size : size_max;
    memcpy(out, text.data, size);
    out[size] = '\0';
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)out[i] < ' ')
            out[i] = ' ';
}

static int health_parse(struct span line, struct kernel_health *ret)
{
    struct span word, until, part;
    (void)span_cut(&line, ' ', &word);
    (void)span_cut(&line, ' ', &until);
    (void)span_cut(&line, ' ', &part);
    *ret = (struct kernel_health){ 0 };
    if (span_is(word, healths[KMSG_DEGRADED]))
        ret->health = KMSG_DEGRADED;
    else if (span_is(word, healths[KMSG_DOWN]))
        ret->health = KMSG_DOWN;
    else
        return -EBADMSG;
    if (number_parse_i64(until, &ret->until_ns) < 0 || ret->until_ns < 0 ||
        part.size == 0)
        return -EBADMSG;
    kernel_part_name(part, ret->part);
    line_copy(line, KERNEL_REASON_BYTES - 1, ret->reason);
    return 0;
}

static int state_line(struct span line, struct kernel_state *state)
{
    struct span key;
    struct kernel_health health;
    (void)span_cut(&line, ' ', &key);
    if (span_is(key, "boot")) {
        if (line.size == 0 || line.size >= KERNEL_BOOT_BYTES)
            return -EBADMSG;
        line_copy(line, KERNEL_BOOT_BYTES - 1, state->boot);
        return 0;
    }
    if (span_is(key, "next"))
        return number_parse_u64(line, &state->next) < 0 ? -EBADMSG : 0;
    if (!span_is(key, "health") || health_parse(line, &health) < 0)
        return -EBADMSG;
    return kernel_state_put(state, &health);
}

int kernel_state_parse(struct span text, struct kernel_state *ret)
{
    struct span line;
    int rc = 0;
    *ret = (struct kernel_state){ 0 };
    if (!span_cut(&text, '\n', &line) || !span_is(line, first_line))
        return -EBADMSG;
    while (rc == 0 && text.size)
        rc = span_cut(&text, '\n', &line) ? state_line(line, ret) : -EBADMSG;
    if (rc == 0 && ret->boot[0])
        return 0;
    *ret = (struct kernel_state){ 0 };
    return -EBADMSG;
}

static struct kernel_health *health_of(struct kernel_state *state, const char *part)
{
    for (size_t i = 0; i < state->health_count; i++)
        if (strcmp(state->healths[i].part, part) == 0)
            return &state->healths[i];
    return NULL;
}

int kernel_state_put(struct kernel_state *state, const struct kernel_health *health)
{
    struct kernel_health *known = health_of(state, health->part);
    if (!known && state->health_count == KERNEL_HEALTHS_MAX)
        return -ENOSPC;
    if (!known)
        known = &state->healths[state->health_count++];
    *known = *health;
    return 0;
}

bool kernel_state_remove(struct kernel_state *state, const char *part)
{
    struct kernel_health *known = health_of(state, part);
    if (known)
        *known = state->healths[--state->health_count];
    return known != NULL;
}
