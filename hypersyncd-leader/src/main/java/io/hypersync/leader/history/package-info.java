/** States of the past, from snapshots and the log (hypersync.md 13.1). */
@NullMarked
package io.hypersync.leader.history;

import org.jspecify.annotations.NullMarked;
