/** What the leader's decision code needs from the world (design 8). */
@NullMarked
package io.hypersync.leader.port;

import org.jspecify.annotations.NullMarked;
