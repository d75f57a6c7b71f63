/** Simulated histories that run in the build. */
@NullMarked
package io.hypersync.sim;

import org.jspecify.annotations.NullMarked;
