/**
 * The newest state that this worker has ever shown, so that a leader with an older one is found.
 */
@NullMarked
package io.hypersync.worker.seen;

import org.jspecify.annotations.NullMarked;
