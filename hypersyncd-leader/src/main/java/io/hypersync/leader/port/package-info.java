/** Ports through which the leader's decision code reaches disk and network. */
@NullMarked
package io.hypersync.leader.port;

import org.jspecify.annotations.NullMarked;
