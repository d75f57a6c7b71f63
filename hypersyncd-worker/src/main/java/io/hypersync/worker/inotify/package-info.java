/**
 * Which calls on the own mount make the kernel tell local watchers what other machines have done
 * (docs/inotify.md). Pure decisions; the threads and processes are in {@code worker.daemon}.
 */
@NullMarked
package io.hypersync.worker.inotify;

import org.jspecify.annotations.NullMarked;
