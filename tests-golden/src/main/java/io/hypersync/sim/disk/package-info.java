/** Simulated disks, which keep what was synced and, at a crash, chance decides about the rest. */
@NullMarked
package io.hypersync.sim.disk;

import org.jspecify.annotations.NullMarked;
