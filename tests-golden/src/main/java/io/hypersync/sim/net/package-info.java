/** The simulated network between workers and leader (design 10). */
@NullMarked
package io.hypersync.sim.net;

import org.jspecify.annotations.NullMarked;
