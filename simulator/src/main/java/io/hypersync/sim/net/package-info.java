/** The simulated network between workers and leader. */
@NullMarked
package io.hypersync.sim.net;

import org.jspecify.annotations.NullMarked;
