/** Tests of a worker's own snapshots. */
@NullMarked
package io.hypersync.worker.snapshot;

import org.jspecify.annotations.NullMarked;
