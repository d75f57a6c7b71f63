/** Specifications of what the daemon wires together. */
@NullMarked
package io.hypersync.worker.daemon;

import org.jspecify.annotations.NullMarked;
