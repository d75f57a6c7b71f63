/** The edge of the worker: threads, sockets, files and the mount around the agent. */
@NullMarked
package io.hypersync.worker.daemon;

import org.jspecify.annotations.NullMarked;
