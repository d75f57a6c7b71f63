/**
 * The deterministic simulator: the production decision code under a clock, a network and disks that
 * one seed decides (hypersync.md 22.1).
 */
@NullMarked
package io.hypersync.sim;

import org.jspecify.annotations.NullMarked;
