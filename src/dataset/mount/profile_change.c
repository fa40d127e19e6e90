/* SPDX-License-Identifier: Apache-2.0 */
/* profile_change - a dataset's profile is recorded, set, dropped or printed. */
#include "dataset/mount/profile_change.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>

int profile_change_parse(char *const *operands, size_t count,
                         struct profile_change *ret)
{
    static const struct {
        const char *name;
        size_t least, most; /* operands behind the dataset */
    } verbs[] = {
        [PROFILE_RECORD] = { "record", 1, SIZE_MAX },
        [PROFILE_SET] = { "set", 1, 1 },
        [PROFILE_DROP] = { "drop", 0, 0 },
        [PROFILE_PRINT] = { "print", 0, 0 },
    };
    for (size_t i = 0; count >= 2 && i < COUNT_OF(verbs); i++)
        if (strcmp(operands[0], verbs[i].name) == 0 && count - 2 >= verbs[i].least &&
            count - 2 <= verbs[i].most) {
            *ret = (struct profile_change){ .verb = (enum profile_verb)i,
                                            .dataset = operands[1],
                                            .operands = operands + 2,
                                            .operand_count = count - 2 };
            return 0;
        }
    return -EINVAL;
}

int profile_change_name(const struct profile_change *change,
                        char out[static DATASET_TAG_MAX + 1], struct err *err)
{
    const char *path =
        change->verb == PROFILE_RECORD ? strstr(change->dataset, ":/") : NULL;
    size_t size = path ? (size_t)(path - change->dataset) : strlen(change->dataset);
    if (size > DATASET_TAG_MAX)
        return err_set(err, ENAMETOOLONG, "dataset '%s': too long", change->dataset);
    memcpy(out, change->dataset, size);
    out[size] = '\0';
    return 0;
}

/* One that could not be started leaves the profile that is there. */
static int profile_record(const struct profile_change *change,
                          struct repository *repository, const struct digest *name,
                          int *ret_status, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct run_opts run = { .socket = change->socket,
                                  .datasets = &change->dataset,
                                  .count = 1,
                                  .recorded = &text,
                                  .command = change->operands,
                                  .word_count = change->operand_count };
    int rc = run_with_datasets(&run, ret_status, err);
    bool is_started =
        *ret_status != RUN_STATUS_NOT_FOUND && *ret_status != RUN_STATUS_NOT_STARTED;
    return rc < 0 || !is_started
               ? rc
               : repository_profile_set(repository, name, strbuf_span(&text), err);
}

static int profile_set(const struct profile_change *change,
                       struct repository *repository, const struct digest *name,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = file_read(change->operands[0], PROFILE_TEXT_MAX, &text, err);
    return rc < 0 ? rc
                  : repository_profile_set(repository, name, strbuf_span(&text), err);
}

int profile_change_do(const struct profile_change *change,
                      struct repository *repository, const struct digest *name,
                      struct strbuf *out, int *ret_status, struct err *err)
{
    switch (change->verb) {
    case PROFILE_RECORD:
        return profile_record(change, repository, name, ret_status, err);
    case PROFILE_SET:
        return profile_set(change, repository, name, err);
    case PROFILE_DROP:
        return repository_profile_drop(repository, name, err);
    case PROFILE_PRINT:
        return repository_profile(repository, name, out, err);
    }
    return -EINVAL;
}
