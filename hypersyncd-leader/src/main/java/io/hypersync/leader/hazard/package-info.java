/** Finds overlaps between the work of different agents as it is logged (hypersync.md 11). */
@NullMarked
package io.hypersync.leader.hazard;

import org.jspecify.annotations.NullMarked;
