/** Ordered apply of the log (hypersync.md 12.3). */
@NullMarked
package io.hypersync.worker.replica;

import org.jspecify.annotations.NullMarked;
