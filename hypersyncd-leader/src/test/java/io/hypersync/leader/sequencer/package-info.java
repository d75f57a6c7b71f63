/** Specifications of what decides at the leader. */
@NullMarked
package io.hypersync.leader.sequencer;

import org.jspecify.annotations.NullMarked;
