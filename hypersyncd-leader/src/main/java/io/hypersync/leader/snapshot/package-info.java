/** When the leader takes snapshots, and which of them it keeps (hypersync.md 13.1, 14.1). */
@NullMarked
package io.hypersync.leader.snapshot;

import org.jspecify.annotations.NullMarked;
