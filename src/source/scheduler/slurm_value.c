/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_value - amounts as Slurm and PBS write them. */
#include "source/scheduler/slurm_value.h"

#include "base/number.h"
#include "base/span.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#define DAYS_MAX 36500

/* Cut digits off text; -EINVAL: there are none, or too many. */
static int digits_cut(struct span *text, int64_t *ret)
{
    size_t n = 0;
    while (n < text->size && isdigit((unsigned char)text->data[n]))
        n++;
    uint64_t value;
    if (n > 9 || number_parse_u64((struct span){ text->data, n }, &value) < 0)
        return -EINVAL;
    *text = span_skip(*text, n);
    *ret = (int64_t)value;
    return 0;
}

static bool byte_cut(struct span *text, char byte)
{
    bool is_there = text->size > 0 && text->data[0] == byte;
    if (is_there)
        *text = span_skip(*text, 1);
    return is_there;
}

/* ".345" in ms; what follows the third digit is dropped. */
static int fraction_cut(struct span *text, int64_t *ret_ms)
{
    *ret_ms = 0;
    if (!byte_cut(text, '.'))
        return 0;
    if (text->size == 0)
        return -EINVAL;
    int64_t weight = 100;
    while (text->size > 0 && isdigit((unsigned char)text->data[0])) {
        *ret_ms += (text->data[0] - '0') * weight;
        weight /= 10;
        *text = span_skip(*text, 1);
    }
    return 0;
}

int slurm_duration_parse(struct span text, int64_t *ret_ms)
{
    int64_t days = 0, part, total_s = 0, fraction_ms;
    struct span rest = text;
    int fields = 0;
    if (memchr(text.data, '-', text.size)) {
        if (digits_cut(&rest, &days) < 0 || !byte_cut(&rest, '-') || days > DAYS_MAX)
            return -EINVAL;
    }
    do {
        if (++fields > 3 || digits_cut(&rest, &part) < 0)
            return -EINVAL;
        total_s = total_s * 60 + part;
    } while (byte_cut(&rest, ':'));
    /* "5" is nothing that sacct prints, and minutes where people type it. */
    if (fields < 2 || fraction_cut(&rest, &fraction_ms) < 0 || rest.size > 0)
        return -EINVAL;
    *ret_ms = (days * 86400 + total_s) * MS_PER_S + fraction_ms;
    return 0;
}

int slurm_size_parse(struct span text, int64_t *ret_bytes)
{
    static const char units[] = "KMGTPE";
    double number, factor = 1;
    size_t n = 0;
    while (n < text.size &&
           (isdigit((unsigned char)text.data[n]) || text.data[n] == '.'))
        n++;
    if (number_parse_double((struct span){ text.data, n }, &number) < 0)
        return -EINVAL;
    struct span rest = span_skip(text, n);
    if (rest.size > 0 && rest.data[0] != 'b' && rest.data[0] != 'B') {
        const char *unit = strchr(units, toupper((unsigned char)rest.data[0]));
        if (!unit || !*unit)
            return -EINVAL;
        for (const char *u = units; u <= unit; u++)
            factor *= 1024;
        rest = span_skip(rest, 1);
    }
    if (rest.size > 0 && (rest.data[0] == 'b' || rest.data[0] == 'B'))
        rest = span_skip(rest, 1);
    if (rest.size > 0 || !(number * factor <= (double)JOB_RESOURCE_MAX))
        return -EINVAL;
    *ret_bytes = (int64_t)(number * factor);
    return 0;
}

static bool type_is(struct span s, const char *word)
{
    return s.size == strlen(word) && strncasecmp(s.data, word, s.size) == 0;
}

static bool type_starts(struct span s, const char *word)
{
    return s.size >= strlen(word) && strncasecmp(s.data, word, strlen(word)) == 0;
}

static void item_set(struct span type, struct span name, int64_t amount,
                     struct job_resources *ret)
{
    if (type_is(type, "cpu"))
        (void)job_resource_set(ret, JOB_CPUS, amount);
    else if (type_is(type, "mem"))
        (void)job_resource_set(ret, JOB_MEMORY_BYTES, amount);
    else if (type_is(type, "gres") && type_is(name, "gpu"))
        (void)job_resource_set(ret, JOB_GPUS, amount);
}

/* "gpu=2" of "gres/gpu=2": its type, its name and its value. */
static bool item_cut(struct span *list, struct span *type, struct span *name,
                     struct span *value)
{
    struct span item;
    *list = span_trim(*list);
    if (list->size == 0)
        return false;
    (void)span_cut(list, ',', &item);
    *value = item;
    (void)span_cut(value, '=', name);
    *type = *name;
    if (memchr(name->data, '/', name->size))
        (void)span_cut(name, '/', type);
    return true;
}

void slurm_tres_parse(struct span text, struct job_resources *ret)
{
    struct job_resources found = { 0 };
    struct span type, name, value;
    int64_t typed = 0;
    while (item_cut(&text, &type, &name, &value)) {
        int64_t amount;
        if (slurm_size_parse(value, &amount) < 0)
            continue;
        if (type_is(type, "gres") && type_starts(name, "gpu:") &&
            amount < JOB_RESOURCE_MAX - typed)
            typed += amount;
        item_set(type, name, amount, &found);
    }
    if (job_resource_known(&found, JOB_CPUS))
        job_resource_add(&found, JOB_GPUS, typed);
    job_resources_unite(ret, &found);
}

int slurm_tres_memory(struct span text, int64_t *ret_bytes)
{
    struct span type, name, value;
    while (item_cut(&text, &type, &name, &value))
        if (type_is(type, "mem") && slurm_size_parse(value, ret_bytes) == 0)
            return 0;
    return -ENOENT;
}
