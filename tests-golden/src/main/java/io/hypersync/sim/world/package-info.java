/** Time, chance and memory of a simulated history (design 8). */
@NullMarked
package io.hypersync.sim.world;

import org.jspecify.annotations.NullMarked;
