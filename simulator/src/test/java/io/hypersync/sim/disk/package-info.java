/** Tests of the simulated disk: what it keeps, loses and damages. */
@NullMarked
package io.hypersync.sim.disk;

import org.jspecify.annotations.NullMarked;
