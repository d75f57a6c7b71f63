/**
 * Linearizability checking: whether one order of the calls explains all answers, as strict_reads
 * promises (hypersync.md 5.3).
 */
@NullMarked
package io.hypersync.sim.check.history;

import org.jspecify.annotations.NullMarked;
