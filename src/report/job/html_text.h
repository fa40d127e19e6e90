/* SPDX-License-Identifier: Apache-2.0 */
/* html_text - words from anywhere as text of an HTML page. */
#ifndef REPORT_JOB_HTML_TEXT_H
#define REPORT_JOB_HTML_TEXT_H

#include "base/span.h"
#include "base/strbuf.h"

/* Escaped so that it stands between tags and within quoted attributes.  Line ends stay;
 * other control bytes, all bytes beyond ASCII of what is no UTF-8, and characters that
 * turn the direction of writing become "?". */
void html_add_escaped(struct strbuf *out, struct span text);
/* An element with such text: <td class='num'>...</td>; class_name NULL: none. */
void html_element(struct strbuf *out, const char *name, const char *class_name,
                  struct span text);
/* Sentences as paragraphs, a line each; lines in columns, and those that are indented,
 * as they are: such a block scrolls within itself. */
void html_lines(struct strbuf *out, struct span text);

#endif
