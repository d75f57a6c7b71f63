/**
 * Whether what callers were told can be explained by one order of their calls (linearizability), as
 * strict reads promise (hypersync.md 5.3).
 */
@NullMarked
package io.hypersync.sim.check.history;

import org.jspecify.annotations.NullMarked;
