/**
 * The deterministic simulator: the production decision code with a clock, a network and disks that
 * are determined by one seed (hypersync.md 22.1). Everything in a history runs in one thread;
 * histories share nothing, so {@link io.hypersync.sim.SeedSweep} can run many at the same time.
 */
@NullMarked
package io.hypersync.sim;

import org.jspecify.annotations.NullMarked;
