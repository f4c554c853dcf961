// SPDX-License-Identifier: GPL-2.0
/*
 * Dropping what was registered with a ring that has no users any more.
 *
 * Transitions: none. Requests that are still on their way have pinned what they use.
 */
#include <linux/cred.h>
#include <linux/io_uring_types.h>

#include "files.h"
#include "rsrc.h"
#include "teardown.h"

/**
 * io_teardown_tables - drop fixed files, buffers, personalities
 * @ctx: a dying ring
 *
 * Context: ring lock held; may sleep.
 */
void io_teardown_tables(struct io_ring_ctx *ctx)
{
	const struct cred *creds;
	unsigned long id;

	lockdep_assert_held(&ctx->lock);
	io_files_free(ctx);
	io_rsrc_table_free(ctx, &ctx->bufs);
	xa_for_each(&ctx->personalities, id, creds) {
		xa_erase(&ctx->personalities, id);
		put_cred(creds);
	}
}
