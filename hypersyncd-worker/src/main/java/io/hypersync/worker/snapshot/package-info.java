/** A worker's own snapshots: what they are of, and when they are of no use any more. */
@NullMarked
package io.hypersync.worker.snapshot;

import org.jspecify.annotations.NullMarked;
