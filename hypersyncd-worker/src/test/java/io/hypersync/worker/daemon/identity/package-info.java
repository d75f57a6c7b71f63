/** Tests of who waits for the agents' names, and of what is read from /proc. */
@NullMarked
package io.hypersync.worker.daemon.identity;

import org.jspecify.annotations.NullMarked;
