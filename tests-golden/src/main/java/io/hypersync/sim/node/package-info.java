/** The simulated leader and workers: production agents over simulated ports (design 8). */
@NullMarked
package io.hypersync.sim.node;

import org.jspecify.annotations.NullMarked;
