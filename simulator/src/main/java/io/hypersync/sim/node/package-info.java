/** The simulated leader and workers: production agents over simulated ports. */
@NullMarked
package io.hypersync.sim.node;

import org.jspecify.annotations.NullMarked;
