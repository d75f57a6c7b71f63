/** Tests of the linearizability checker by histories with known verdicts. */
@NullMarked
package io.hypersync.sim.check.history;

import org.jspecify.annotations.NullMarked;
