/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_condition - findings of a site: a condition, and behind the first NUL a
 * sentence; whatever is accepted can be applied to any job, and what is not known makes
 * nothing.
 */
#include "analysis/rules/rules.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

/* A configuration has no control bytes but line ends, which would end the value. */
static void value_add(struct strbuf *out, const char *key, struct span text)
{
    strbuf_addf(out, "%s = ", key);
    for (size_t i = 0; i < text.size; i++)
        strbuf_addc(out,
                    text.data[i] == '\n' || text.data[i] == '\0' ? ' ' : text.data[i]);
    strbuf_addc(out, '\n');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct config_section sections[2];
    static const char *const documents[] = {
        "{}",
        "{\"cpus\":8,\"run_time\":600,\"server_read\":1e12,\"user\":\"ada/7\","
        "\"found.small\":1,\"node.cpu_load.median\":1e308,\"cpu_share\":0.5}",
    };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(config_free) struct config *config = NULL;
    AUTO(site_rules_free) struct site_rules *rules = NULL;
    struct err err = { 0 };
    struct span rest = { (const char *)data, size }, condition;
    sections[0] = finding_config_section;
    sections[1] = application_config_section;
    (void)span_cut(&rest, '\0', &condition);
    strbuf_adds(&text, "[finding x]\n");
    value_add(&text, "condition", condition);
    value_add(&text, "sentence", rest.size > 0 ? rest : SPAN("x {cpus}"));
    if (config_parse("c", strbuf_span(&text), sections, 2, &config, &err) < 0)
        return 0;
    if (site_rules_new(config, &rules, &err) < 0) {
        fuzz_check(err.text[0] != '\0' && rules == NULL);
        return 0;
    }
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        AUTO(site_report_done) struct site_report report = { 0 };
        if (site_report_read(rules, span_of(documents[i]), &report, &err) < 0)
            continue;
        fuzz_check(report.count == 1);
        fuzz_check((report.results[0].result == CONDITION_TRUE) ==
                   (report.results[0].sentence != NULL));
    }
    return 0;
}
