/**
 * The connection between a leader and a worker in one process: messages are handed over as they
 * are, on one thread (hypersync.md 4.2).
 */
@NullMarked
package io.hypersync.wire.local;

import org.jspecify.annotations.NullMarked;
