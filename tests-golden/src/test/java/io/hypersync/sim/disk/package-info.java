/** What the simulated disk keeps, loses and damages. */
@NullMarked
package io.hypersync.sim.disk;

import org.jspecify.annotations.NullMarked;
