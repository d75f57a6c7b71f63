/** What a leader does for a snapshot that a worker need not do (hypersync.md 13.1). */
@NullMarked
package io.hypersync.leader.snapshot;

import org.jspecify.annotations.NullMarked;
