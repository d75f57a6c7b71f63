/**
 * Decides which calls on the own mount make the kernel report other workers' changes to local
 * inotify watches (docs/inotify.md). No I/O and no threads; those are in {@code
 * worker.daemon.inotify}.
 */
@NullMarked
package io.hypersync.worker.inotify;

import org.jspecify.annotations.NullMarked;
