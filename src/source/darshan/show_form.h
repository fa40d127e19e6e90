/* SPDX-License-Identifier: Apache-2.0 */
/* show_form - how a whole log is written: what the text and the JSON form share. */
#ifndef SOURCE_DARSHAN_SHOW_FORM_H
#define SOURCE_DARSHAN_SHOW_FORM_H

#include "base/json_writer.h"
#include "source/darshan/log.h"
#include "source/darshan/module.h"
#include "source/darshan/totals.h"

enum darshan_show_part {
    DARSHAN_SHOW_BASE = 1,
    DARSHAN_SHOW_TOTAL = 2,
    DARSHAN_SHOW_PERF = 4,
    DARSHAN_SHOW_FILE = 8,
};

/* One log on its way to standard output. */
struct darshan_show {
    struct darshan_log *log;
    const char *path;
    unsigned parts;       /* of enum darshan_show_part */
    struct strbuf out;    /* written out whenever it is long */
    struct strbuf faults; /* a line each, for the end of the JSON form */
    struct json_writer json;
    bool in_segments; /* JSON form: a traced record is open */
    bool has_summary; /* JSON form: this module's records are closed */
};

/* How a log is written: the functions are called in this order, some for each module.
 */
struct darshan_show_form {
    const char *name;
    bool has_traces; /* wants records of DXT */
    void (*start)(struct darshan_show *show);
    void (*module)(struct darshan_show *show, unsigned slot);
    void (*record)(struct darshan_show *show, const struct darshan_record *record);
    void (*segments)(struct darshan_show *show, enum darshan_direction direction,
                     const struct darshan_segment *segments, size_t count);
    void (*summary)(struct darshan_show *show, const struct darshan_module *module,
                    const struct darshan_summary *summary);
    void (*module_end)(struct darshan_show *show);
    /* Instead of all these: why a module's records are not read. */
    void (*skipped)(struct darshan_show *show, const char *what);
    void (*end)(struct darshan_show *show);
};

extern const struct darshan_show_form darshan_show_text;
extern const struct darshan_show_form darshan_show_json;

/* What a record is about, and where that lies; NULL where the log does not say. */
struct darshan_place {
    const char *name;
    const struct darshan_mount *mount;
};

struct darshan_place darshan_place_of(const struct darshan_show *show,
                                      const struct darshan_record *record);

#endif
