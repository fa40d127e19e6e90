/* SPDX-License-Identifier: Apache-2.0 */
/* warning - what a command reports on standard error and goes on. */
#ifndef CMD_WARNING_H
#define CMD_WARNING_H

/* "baro: TEXT" on a line of its own; the log of rooms that take one.  arg: not used. */
void warning_print(void *arg, const char *text);
/* The same of a text that begins with a file and a line: "jobs.csv:7: ...". */
void warning_print_line(void *arg, const char *text);

#endif
