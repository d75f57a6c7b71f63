/** Rebuilding the leader's state from its log. */
@NullMarked
package io.hypersync.leader.recovery;

import org.jspecify.annotations.NullMarked;
