/**
 * The state directory of a standby, which is one that a leader can lead: its log, what makes it
 * known as a standby's, and how it becomes a leader's.
 */
@NullMarked
package io.hypersync.leader.standby;

import org.jspecify.annotations.NullMarked;
