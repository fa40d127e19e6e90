/* SPDX-License-Identifier: Apache-2.0 */
/* sacct_comment - which jobs of sacct's output have an AdminComment, and which not. */
#include "source/scheduler/sacct_comment.h"

#include "base/number.h"
#include "base/span.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum column {
    COLUMN_ID,
    COLUMN_START,
    COLUMN_END,
    COLUMN_COMMENT,
    COLUMN_RAW_ID, /* from here on it may be missing */
    COLUMN_CLUSTER,
    COLUMN_NAME,
    COLUMN_COUNT,
    COLUMN_NEEDED = COLUMN_RAW_ID,
};

static const char *const column_names[COLUMN_COUNT] = {
    [COLUMN_ID] = "JobID",        [COLUMN_START] = "Start",
    [COLUMN_END] = "End",         [COLUMN_COMMENT] = "AdminComment",
    [COLUMN_RAW_ID] = "JobIDRaw", [COLUMN_CLUSTER] = "Cluster",
    [COLUMN_NAME] = "JobName",
};

struct header {
    char delimiter;
    size_t count;
    size_t at[COLUMN_COUNT]; /* SIZE_MAX: there is none */
};

static bool has_name_last(const struct header *h)
{
    return h->at[COLUMN_NAME] + 1 == h->count;
}

static bool column_is(struct span cell, const char *name)
{
    cell = span_trim(cell);
    return cell.size == strlen(name) && strncasecmp(cell.data, name, cell.size) == 0;
}

static int header_read(struct span line, struct header *ret, struct err *err)
{
    struct header h = { .delimiter = '|' };
    struct span cell;
    bool has_more = true;
    for (size_t i = 0; i < line.size; i++) {
        if (isalnum((unsigned char)line.data[i]) || line.data[i] == '_')
            continue;
        h.delimiter = line.data[i];
        break;
    }
    for (int i = 0; i < COLUMN_COUNT; i++)
        h.at[i] = SIZE_MAX;
    for (; has_more; h.count++) {
        has_more = span_cut(&line, h.delimiter, &cell);
        for (int i = 0; i < COLUMN_COUNT; i++)
            if (column_is(cell, column_names[i]))
                h.at[i] = h.count;
    }
    for (int i = 0; i < COLUMN_NEEDED; i++)
        if (h.at[i] == SIZE_MAX)
            return err_set(err, EINVAL,
                           "the first line names no column %s: it is not what sacct -P "
                           "prints with -o JobID,JobIDRaw,Cluster,Start,End,"
                           "AdminComment",
                           column_names[i]);
    *ret = h;
    return 0;
}

/* false: not a row.  More fields than columns are in the name of the job. */
static bool row_cut(const struct header *h, struct span line,
                    struct span cells[static COLUMN_COUNT])
{
    struct span cell;
    size_t count = 0;
    bool has_more = line.size > 0;
    for (int i = 0; i < COLUMN_COUNT; i++)
        cells[i] = (struct span){ "", 0 };
    for (; has_more; count++) {
        has_more = span_cut(&line, h->delimiter, &cell);
        for (int i = 0; i < COLUMN_COUNT; i++)
            if (h->at[i] == count)
                cells[i] = span_trim(cell);
    }
    return count == h->count || (count > h->count && has_name_last(h));
}

/* "Unknown" and "None": not yet. */
static bool time_is_known(struct span cell)
{
    return cell.size > 0 && isdigit((unsigned char)cell.data[0]) && !span_is(cell, "0");
}

static bool is_run(const struct span cells[static COLUMN_COUNT])
{
    return time_is_known(cells[COLUMN_START]) && time_is_known(cells[COLUMN_END]) &&
           !memchr(cells[COLUMN_ID].data, '.', cells[COLUMN_ID].size);
}

static struct sacct_comment job_of(const struct span cells[static COLUMN_COUNT])
{
    uint64_t start = 0;
    bool has_start = number_parse_u64(cells[COLUMN_START], &start) == 0 &&
                     start <= INT32_MAX * UINT64_C(64);
    return (struct sacct_comment){
        .id = cells[COLUMN_ID],
        .raw_id =
            cells[COLUMN_RAW_ID].size > 0 ? cells[COLUMN_RAW_ID] : cells[COLUMN_ID],
        .cluster = cells[COLUMN_CLUSTER],
        .start_s = has_start ? (int64_t)start : -1,
        .comment = cells[COLUMN_COMMENT],
    };
}

int sacct_comments_read(struct span text, sacct_comment_fn *fn, void *arg,
                        uint64_t *ret_unreadable, struct err *err)
{
    struct header header = { 0 };
    struct span line, cells[COLUMN_COUNT];
    uint64_t unreadable = 0;
    (void)span_cut(&text, '\n', &line);
    int rc = header_read(line, &header, err);
    while (rc == 0 && text.size > 0) {
        (void)span_cut(&text, '\n', &line);
        bool is_row = row_cut(&header, line, cells) && cells[COLUMN_ID].size > 0 &&
                      isdigit((unsigned char)cells[COLUMN_ID].data[0]);
        unreadable += !is_row && !has_name_last(&header);
        if (!is_row || !is_run(cells))
            continue;
        const struct sacct_comment job = job_of(cells);
        rc = fn(arg, &job);
    }
    if (rc == 0)
        *ret_unreadable = unreadable;
    return rc;
}
