/**
 * The leader's durable op log: the port the sequencer writes to and recovery reads from
 * (hypersync.md 6.3.1, 8).
 */
@NullMarked
package io.hypersync.leader.oplog;

import org.jspecify.annotations.NullMarked;
