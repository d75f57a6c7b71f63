/** What must hold after every step (hypersync.md 22.1); knows nothing of how load is made. */
@NullMarked
package io.hypersync.sim.check;

import org.jspecify.annotations.NullMarked;
