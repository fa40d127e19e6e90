/* SPDX-License-Identifier: Apache-2.0 */
/* darshan_show - what the forms of baro darshan show have in common. */
#ifndef CMD_DARSHAN_SHOW_H
#define CMD_DARSHAN_SHOW_H

#include "base/json_writer.h"
#include "source/darshan/darshan.h"

enum show_part {
    SHOW_BASE = 1,
    SHOW_TOTAL = 2,
    SHOW_PERF = 4,
    SHOW_FILE = 8,
};

/* One log on its way to standard output. */
struct show {
    struct darshan_log *log;
    const char *path;
    unsigned parts;       /* of enum show_part */
    struct strbuf out;    /* written out whenever it is long */
    struct strbuf faults; /* a line each, for the end of the JSON form */
    struct json_writer json;
    bool in_segments; /* JSON form: a traced record is open */
    bool has_summary; /* JSON form: this module's records are closed */
};

/* How a log is written: the functions are called in this order, some for each module.
 */
struct show_form {
    const char *name;
    bool has_traces; /* wants records of DXT */
    void (*start)(struct show *show);
    void (*module)(struct show *show, unsigned slot);
    void (*record)(struct show *show, const struct darshan_record *record);
    void (*segments)(struct show *show, enum darshan_direction direction,
                     const struct darshan_segment *segments, size_t count);
    void (*summary)(struct show *show, const struct darshan_module *module,
                    const struct darshan_summary *summary);
    void (*module_end)(struct show *show);
    /* Instead of all these: why a module's records are not read. */
    void (*skipped)(struct show *show, const char *what);
    void (*end)(struct show *show);
};

extern const struct show_form show_text;
extern const struct show_form show_json;

/* What a record is about, and where that lies; NULL where the log does not say. */
struct show_place {
    const char *name;
    const struct darshan_mount *mount;
};

struct show_place show_place(const struct show *show, const struct darshan_record *r);

#endif
