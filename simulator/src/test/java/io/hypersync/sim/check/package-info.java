/** Tests of the checkers: what they let pass, and what they do not. */
@NullMarked
package io.hypersync.sim.check;

import org.jspecify.annotations.NullMarked;
