/* SPDX-License-Identifier: Apache-2.0
 * page.h: a page without anything from outside: it opens from a file, in light and dark, from a phone's width up.
 * Its pictures (plot.h, heat.h) and tables take their colours and lines from its style sheet. Threads: any. */
#ifndef THERMODYN_PAGE_PAGE_H
#define THERMODYN_PAGE_PAGE_H

#include "thermodyn/buf.h"

/* Up to the heading, which is the title. */
void td_page_begin(td_buf *buf, td_slice title);
/* From the footer on; it is HTML. */
void td_page_end(td_buf *buf, const char *footer);

/* A figure with what it means below it, in a <div class="tiles">. Both are HTML. */
void td_page_write_tile(td_buf *buf, const char *figure, const char *meaning);

#endif
