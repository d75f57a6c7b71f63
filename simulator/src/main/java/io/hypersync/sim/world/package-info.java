/** Time, randomness and trace of a simulated history. */
@NullMarked
package io.hypersync.sim.world;

import org.jspecify.annotations.NullMarked;
