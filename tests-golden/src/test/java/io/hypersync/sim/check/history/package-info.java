/** The checker of histories, by histories whose verdict is known. */
@NullMarked
package io.hypersync.sim.check.history;

import org.jspecify.annotations.NullMarked;
