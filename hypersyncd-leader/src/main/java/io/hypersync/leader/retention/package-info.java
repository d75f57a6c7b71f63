/** Which part of the log the leader keeps, and when it removes the rest (hypersync.md 14.1). */
@NullMarked
package io.hypersync.leader.retention;

import org.jspecify.annotations.NullMarked;
