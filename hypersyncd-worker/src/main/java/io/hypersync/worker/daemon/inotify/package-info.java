/**
 * Threads and the process that make local watches report other workers' changes (docs/inotify.md).
 */
@NullMarked
package io.hypersync.worker.daemon.inotify;

import org.jspecify.annotations.NullMarked;
