/** A worker in the leader's process, which callers' threads may run, too (decisions 043, 047). */
@NullMarked
package io.hypersync.sim.mainhost;

import org.jspecify.annotations.NullMarked;
