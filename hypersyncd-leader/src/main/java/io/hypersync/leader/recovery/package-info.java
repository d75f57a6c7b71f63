/** Rebuilding the leader's state from its log (design 6). */
@NullMarked
package io.hypersync.leader.recovery;

import org.jspecify.annotations.NullMarked;
