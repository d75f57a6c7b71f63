/** How a worker gets a snapshot of the leader instead of the log (hypersync.md 13.2). */
@NullMarked
package io.hypersync.worker.install;

import org.jspecify.annotations.NullMarked;
