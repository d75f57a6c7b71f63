/** Which chunks a worker keeps on its disk, and when it removes the others (hypersync.md 14.2). */
@NullMarked
package io.hypersync.worker.cache;

import org.jspecify.annotations.NullMarked;
