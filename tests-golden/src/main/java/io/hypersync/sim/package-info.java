/**
 * The deterministic simulator: the production decision code with a clock, a network and disks that
 * are determined by one seed (hypersync.md 22.1).
 */
@NullMarked
package io.hypersync.sim;

import org.jspecify.annotations.NullMarked;
