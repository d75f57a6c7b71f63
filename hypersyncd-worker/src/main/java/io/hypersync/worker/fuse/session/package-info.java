/**
 * A session with the kernel: negotiates INIT, passes each request to a {@link
 * io.hypersync.worker.fuse.session.FuseHandler}, ensures that each is answered exactly once, passes
 * interrupts on and sends notifications. Independent of what the requests mean.
 */
@NullMarked
package io.hypersync.worker.fuse.session;

import org.jspecify.annotations.NullMarked;
