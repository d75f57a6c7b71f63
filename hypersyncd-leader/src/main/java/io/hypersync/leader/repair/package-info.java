/** How the leader gets chunks back that its own store has lost. */
@NullMarked
package io.hypersync.leader.repair;

import org.jspecify.annotations.NullMarked;
