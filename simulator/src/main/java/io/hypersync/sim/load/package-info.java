/** Simulated processes, and the kernel between them and the vfs. */
@NullMarked
package io.hypersync.sim.load;

import org.jspecify.annotations.NullMarked;
