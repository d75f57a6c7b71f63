/** Local watchers hear of what other machines do: threads and the process of docs/inotify.md. */
@NullMarked
package io.hypersync.worker.daemon.inotify;

import org.jspecify.annotations.NullMarked;
