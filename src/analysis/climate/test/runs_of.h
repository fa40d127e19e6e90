/* SPDX-License-Identifier: Apache-2.0 */
/* runs_of - runs for tests, out of the texts of a mapping and a table. */
#ifndef ANALYSIS_CLIMATE_TEST_RUNS_OF_H
#define ANALYSIS_CLIMATE_TEST_RUNS_OF_H

#include "analysis/climate/runs.h"
#include "base/test/scratch.h"

#include <string.h>

struct runs_of {
    struct mapping mapping;
    struct runs runs;
};

static inline const char *runs_text_write(const char *name, const char *text)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static inline int runs_of_texts(const char *map, const char *csv, struct runs_of *ret,
                                struct err *err)
{
    *ret = (struct runs_of){ 0 };
    int rc = mapping_load(runs_text_write("map.conf", map), &ret->mapping, err);
    char *paths[] = { (char *)(uintptr_t)runs_text_write("runs.csv", csv) };
    return rc < 0 ? rc : runs_load(&ret->mapping, paths, 1, &ret->runs, err);
}

static inline void runs_of_done(struct runs_of *of)
{
    runs_done(&of->runs);
    mapping_done(&of->mapping);
}
DEFINE_AUTO_DONE(struct runs_of, runs_of_done);

static inline void runs_make(const char *map, const char *csv, struct runs_of *ret)
{
    struct err err = { 0 };
    if (runs_of_texts(map, csv, ret, &err) < 0)
        fail_msg("%s", err.text);
}

#endif
