/** Rebuilds the leader's state from its log at startup, and audits the log's Merkle roots. */
@NullMarked
package io.hypersync.leader.recovery;

import org.jspecify.annotations.NullMarked;
