/* SPDX-License-Identifier: Apache-2.0 */
/* job_json_tres - the lists of trackable resources within a job of sacct --json. */
#include "source/scheduler/job_json_tres.h"

#include "base/number.h"
#include "base/span.h"
#include "source/scheduler/slurm_value.h"

#include <math.h>
#include <string.h>

#define TEXT_BYTES_MAX 4096
#define STEP_ITEM_DEPTH 5 /* steps[] { tres { requested { total[] { */

void job_json_tres_done(struct job_json_tres *tres)
{
    strbuf_done(&tres->text);
}

bool job_json_tres_begin(struct job_json_tres *tres, struct span path, unsigned depth)
{
    static const char *const paths[] = { [JOB_JSON_ALLOCATED] = "tres.allocated",
                                         [JOB_JSON_REQUESTED] = "tres.requested",
                                         [JOB_JSON_STEPS] = "steps" };
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        if (!span_is(path, paths[i]))
            continue;
        tres->list = (enum job_json_list)i;
        tres->depth = depth + 1;
        memset(tres->keys, 0, sizeof tres->keys);
        strbuf_clear(&tres->text);
        return true;
    }
    return false;
}

static void word_set(char *word, struct span text)
{
    size_t size = text.size < JOB_JSON_TRES_WORD_BYTES ? text.size : 0;
    memcpy(word, text.data, size);
    word[size] = '\0';
}

static void item_clear(struct job_json_tres *tres)
{
    tres->type[0] = tres->name[0] = '\0';
    tres->count = (double)NAN;
}

/* Whether an object at this depth below the list is an item of a list of resources. */
static bool is_item(const struct job_json_tres *tres, unsigned below)
{
    if (tres->list != JOB_JSON_STEPS)
        return below == 1;
    return below == STEP_ITEM_DEPTH && strcmp(tres->keys[1], "tres") == 0 &&
           strcmp(tres->keys[2], "requested") == 0;
}

static void step_item_end(const struct job_json_tres *tres,
                          struct job_resources *resources)
{
    if (strcmp(tres->type, "mem") != 0 || !(tres->count >= 0) ||
        tres->count > (double)JOB_RESOURCE_MAX)
        return;
    if (strcmp(tres->keys[3], "total") == 0)
        job_resource_raise(resources, JOB_MEMORY_PEAK_BYTES, (int64_t)tres->count);
    else if (strcmp(tres->keys[3], "max") == 0)
        job_resource_raise(resources, JOB_TASK_MEMORY_PEAK_BYTES, (int64_t)tres->count);
}

static int item_end(struct job_json_tres *tres, struct job_fields *fields)
{
    if (tres->list == JOB_JSON_STEPS) {
        step_item_end(tres, &fields->resources);
        return 0;
    }
    if (!(tres->count >= 0) || tres->count > 1e15 || strpbrk(tres->type, ",=/") ||
        strpbrk(tres->name, ",=") || tres->text.size > TEXT_BYTES_MAX)
        return 0;
    strbuf_addf(&tres->text, "%s%s%s=%.0f%s,", tres->type, tres->name[0] ? "/" : "",
                tres->name, tres->count, strcmp(tres->type, "mem") == 0 ? "M" : "");
    return strbuf_error(&tres->text);
}

static int list_end(struct job_json_tres *tres, struct job_fields *fields)
{
    tres->depth = 0;
    if (tres->list == JOB_JSON_STEPS)
        return 0;
    enum job_field field =
        tres->list == JOB_JSON_ALLOCATED ? JOB_FIELD_ALLOCATED : JOB_FIELD_REQUESTED;
    int rc = job_fields_set(fields, field, 0, strbuf_span(&tres->text));
    return rc == -EMSGSIZE ? 0 : rc;
}

static void item_scalar(struct job_json_tres *tres, const char *key,
                        enum json_event event, struct span text)
{
    if (event == JSON_STRING && strcmp(key, "type") == 0)
        word_set(tres->type, text);
    else if (event == JSON_STRING && strcmp(key, "name") == 0)
        word_set(tres->name, text);
    else if (event == JSON_NUMBER && strcmp(key, "count") == 0 &&
             number_parse_double(text, &tres->count) < 0)
        tres->count = (double)NAN;
}

int job_json_tres_event(struct job_json_tres *tres, struct job_fields *fields,
                        enum json_event event, struct span text, unsigned depth)
{
    unsigned below = depth + 1 - tres->depth;
    if (event == JSON_ARRAY_END && below == 0)
        return list_end(tres, fields);
    if (event == JSON_KEY && below < JOB_JSON_TRES_DEPTHS)
        word_set(tres->keys[below], text);
    else if (event == JSON_OBJECT && is_item(tres, below))
        item_clear(tres);
    else if (event == JSON_OBJECT_END && is_item(tres, below))
        return item_end(tres, fields);
    else if (below >= 2 && below <= JOB_JSON_TRES_DEPTHS && is_item(tres, below - 1))
        item_scalar(tres, tres->keys[below - 1], event, text);
    return 0;
}
