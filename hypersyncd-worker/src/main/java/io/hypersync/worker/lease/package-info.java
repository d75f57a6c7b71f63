/** Tells the leader what is open here, so that it is not reaped (hypersync.md 6.8). */
@NullMarked
package io.hypersync.worker.lease;

import org.jspecify.annotations.NullMarked;
