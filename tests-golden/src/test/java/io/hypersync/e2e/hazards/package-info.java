/**
 * Which overlaps of the work of agents are told by real daemons on real mounts, and which are not.
 */
@NullMarked
package io.hypersync.e2e.hazards;

import org.jspecify.annotations.NullMarked;
