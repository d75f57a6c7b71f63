/** What the leader's decision code needs from the world. */
@NullMarked
package io.hypersync.leader.port;

import org.jspecify.annotations.NullMarked;
