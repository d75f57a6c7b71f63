/** Invariants that must hold after every step (hypersync.md 22.1); independent of the workload. */
@NullMarked
package io.hypersync.sim.check;

import org.jspecify.annotations.NullMarked;
