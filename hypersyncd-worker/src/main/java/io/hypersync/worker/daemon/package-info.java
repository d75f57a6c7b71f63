/** The edge of the worker: threads, sockets, files and the mount around the agent (design 8). */
@NullMarked
package io.hypersync.worker.daemon;

import org.jspecify.annotations.NullMarked;
