/**
 * A conversation with the kernel: agree on INIT, hand each request to a {@link
 * io.hypersync.worker.fuse.session.FuseHandler}, see that each is answered exactly once, pass
 * interrupts on, send notifications, end. Knows nothing of files.
 */
@NullMarked
package io.hypersync.worker.fuse.session;

import org.jspecify.annotations.NullMarked;
