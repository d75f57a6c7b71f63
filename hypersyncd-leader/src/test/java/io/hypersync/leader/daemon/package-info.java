/** Tests of the leader's threads, sockets and files. */
@NullMarked
package io.hypersync.leader.daemon;

import org.jspecify.annotations.NullMarked;
