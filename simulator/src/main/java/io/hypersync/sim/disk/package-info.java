/** Simulated disks: they keep what was synced; after a crash the rest is kept or lost at random. */
@NullMarked
package io.hypersync.sim.disk;

import org.jspecify.annotations.NullMarked;
