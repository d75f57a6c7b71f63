/** The I/O edge of the leader: threads, sockets and files around the agent. */
@NullMarked
package io.hypersync.leader.daemon;

import org.jspecify.annotations.NullMarked;
