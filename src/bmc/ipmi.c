/* SPDX-License-Identifier: Apache-2.0 */
/* ipmi - one reading of one BMC by IPMI over the network, through ipmitool. */
#include "bmc/ipmi.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "bmc/address.h"
#include "bmc/child.h"
#include "bmc/sel.h"

#include <xxhash.h>

#define PROGRAM "ipmitool"
#define ARGUMENTS_MAX 32
/* Of a second and more each, so that one that is away ends by the deadline: of any
 * other error ipmitool prints no more than that there is no session. */
#define TRIES "600"
#define NO_RECORD "rsp=0xcb" /* the completion code, as ipmitool prints it */

struct session {
    const struct bmc_target *target;
    struct bmc_address address;
    char cipher[8];
    int password; /* a file */
    int64_t until_ns;
    unsigned calls;
};

/* What is printed is bytes in hex. */
static int raw(struct session *s, const char *const *arguments, struct strbuf *out,
               struct err *err)
{
    const char *argv[ARGUMENTS_MAX] = { PROGRAM,
                                        "-I",
                                        "lanplus",
                                        "-H",
                                        s->address.number,
                                        "-p",
                                        s->address.port,
                                        "-U",
                                        s->target->section->user,
                                        "-f",
                                        BOUNDED_COMMAND_FD_PATH,
                                        "-C",
                                        s->cipher,
                                        "-R",
                                        TRIES,
                                        "raw" };
    size_t count = 16;
    while (*arguments)
        argv[count++] = *arguments++;
    argv[count] = NULL;
    if (s->calls++ == IPMI_CALLS_MAX)
        return err_set(err, E2BIG, "over %d calls in one reading", IPMI_CALLS_MAX);
    strbuf_clear(out);
    return child_run(argv, s->password, s->until_ns, out, err);
}

static int power_read(struct session *s, struct bmc_report *report, struct err *err)
{
    static const char *const arguments[] = { "0x00", "0x01", NULL };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    uint8_t bytes[8];
    int rc = raw(s, arguments, &out, err);
    if (rc < 0)
        return rc;
    int count = sel_hex_parse(strbuf_span(&out), bytes, sizeof bytes);
    if (count < 3)
        return err_set(err, EBADMSG, "Get Chassis Status has no such response");
    report->power = bytes[0] & 1 ? BMC_POWER_ON : BMC_POWER_OFF;
    const bool faults[] = { bytes[0] & 0x08, bytes[2] & 0x08, bytes[2] & 0x04 };
    static const char *const names[] = { "power", "fan", "drive" };
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        char reason[64] = "";
        if (faults[i])
            (void)snprintf(reason, sizeof reason, "fault of %s by its BMC", names[i]);
        bmc_report_part(report, names[i], "chassis",
                        faults[i] ? RESOURCE_DEGRADED : RESOURCE_UP, reason);
    }
    return 0;
}

/* ---- the log ---- */

static int record_read(struct session *s, uint16_t id, uint16_t *ret_next,
                       uint8_t record[static SEL_RECORD_BYTES], struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    char low[8], high[8];
    (void)snprintf(low, sizeof low, "0x%02x", id & 0xFFU);
    (void)snprintf(high, sizeof high, "0x%02x", id >> 8 & 0xFFU);
    const char *const arguments[] = { "0x0a", "0x43", "0x00", "0x00", low,
                                      high,   "0x00", "0xff", NULL };
    int rc = raw(s, arguments, &out, err);
    if (rc < 0)
        return rc;
    return sel_response_parse(strbuf_span(&out), ret_next, record) < 0
               ? err_set(err, EBADMSG, "Get SEL Entry has no such response")
               : 0;
}

static uint16_t record_id(const uint8_t record[static SEL_RECORD_BYTES])
{
    return (uint16_t)(record[0] | record[1] << 8);
}

static void record_note(struct bmc_report *report, const uint8_t *record, bool is_new,
                        struct log_seen *seen)
{
    struct bmc_entry entry;
    sel_entry_make(record, &entry);
    bmc_report_entry(report, &entry, is_new);
    seen->sel_next = record_id(record);
    seen->sel_hash = XXH3_64bits(record, SEL_RECORD_BYTES);
}

/* Where the last one seen is there no more the log was cleared: all of it is new.  Of
 * any other error nothing is known, and nothing is new. */
static int log_begin(struct session *s, const struct log_cursor *cursor,
                     uint16_t *ret_next, struct err *err)
{
    uint8_t record[SEL_RECORD_BYTES];
    struct err why = { 0 };
    *ret_next = 0; /* the first */
    if (cursor->sel_hash == 0)
        return 0;
    uint16_t next;
    int rc = record_read(s, cursor->sel_next, &next, record, &why);
    if (rc < 0 && !strstr(why.text, NO_RECORD))
        return err_set(err, -rc, "%s", why.text);
    if (rc == 0 && XXH3_64bits(record, SEL_RECORD_BYTES) == cursor->sel_hash)
        *ret_next = next;
    return 0;
}

static int log_follow(struct session *s, const struct log_cursor *cursor,
                      struct bmc_report *report, struct log_seen *seen, struct err *err)
{
    uint16_t id = SEL_LAST;
    int rc = log_begin(s, cursor, &id, err);
    while (rc == 0 && id != SEL_LAST) {
        uint8_t record[SEL_RECORD_BYTES];
        uint16_t next;
        if (s->calls >= IPMI_CALLS_MAX || report->entry_count == BMC_ENTRIES_MAX)
            return 0; /* the next reading goes on from here */
        rc = record_read(s, id, &next, record, err);
        if (rc < 0)
            break;
        record_note(report, record, true, seen);
        id = next == id ? SEL_LAST : next;
    }
    report->has_log = rc == 0;
    return rc;
}

/* An empty log has no newest record: ipmitool fails then as it does of any other error,
 * so the log's size decides. */
static int log_size(struct session *s, uint16_t *ret, struct err *err)
{
    static const char *const arguments[] = { "0x0a", "0x40", NULL };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    uint8_t bytes[32];
    int rc = raw(s, arguments, &out, err);
    if (rc < 0)
        return rc;
    if (sel_hex_parse(strbuf_span(&out), bytes, sizeof bytes) < 14)
        return err_set(err, EBADMSG, "Get SEL Info has no such response");
    *ret = (uint16_t)(bytes[1] | bytes[2] << 8);
    return 0;
}

static int sel_read(struct session *s, const struct log_cursor *cursor,
                    struct bmc_report *report, struct log_seen *seen, struct err *err)
{
    uint8_t record[SEL_RECORD_BYTES];
    uint16_t next, size;
    int rc = log_size(s, &size, err);
    if (rc < 0)
        return rc;
    if (size == 0) {
        report->has_log = true;
        return 0;
    }
    rc = record_read(s, SEL_LAST, &next, record, err);
    if (rc < 0)
        return rc;
    bool is_known = cursor->is_set && cursor->sel_next == record_id(record) &&
                    cursor->sel_hash == XXH3_64bits(record, SEL_RECORD_BYTES);
    if (!cursor->is_set || is_known) {
        record_note(report, record, false, seen);
        report->has_log = is_known;
        return 0;
    }
    seen->sel_next = cursor->sel_next;
    seen->sel_hash = cursor->sel_hash;
    return log_follow(s, cursor, report, seen, err);
}

int ipmi_read(const struct bmc_target *target, const struct log_cursor *cursor,
              struct bmc_report *report, struct log_seen *seen, struct err *err)
{
    struct session s = { .target = target };
    AUTO_CLOSE int fd = -1;
    char path[FILE_OF_TEXT_PATH_SIZE];
    struct err why = { 0 };
    (void)snprintf(s.cipher, sizeof s.cipher, "%u", (unsigned)target->section->cipher);
    /* Else a name server that is silent would be a BMC that is. */
    int rc = bmc_address_resolve(target->address, "623", &s.address, err);
    s.until_ns = clock_monotonic_ns() + target->section->timeout_ns;
    if (rc == 0)
        rc = file_of_text(span_of(target->section->password), &fd, path, err);
    s.password = fd;
    if (rc == 0) {
        rc = power_read(&s, report, err);
        report->is_away = rc == -ETIMEDOUT;
    }
    if (rc < 0)
        return err_prefix(err, rc, "%s (BMC %s)", target->host, target->address);
    if (!target->section->reads_log)
        return 0;
    seen->sel_next = cursor->sel_next;
    seen->sel_hash = cursor->sel_hash;
    rc = sel_read(&s, cursor, report, seen, &why);
    if (rc < 0)
        bmc_report_note(report, "its log: %s", why.text);
    /* A deadline within it: the next reading goes on behind what was read. */
    report->can_move = rc == 0 || report->entry_count > 0;
    report->is_log_followed = true;
    return 0;
}

int ipmi_check(struct err *err)
{
    return child_find(PROGRAM) ? 0
                               : err_set(err, ENOENT,
                                         "protocol: ipmi wants the program " PROGRAM
                                         ", of the package of that name");
}
