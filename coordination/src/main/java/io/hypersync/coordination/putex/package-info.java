/**
 * At most one of several processes runs a service: the decisions, without clocks, threads and
 * scripts, which {@code coordination.daemon} has.
 */
@NullMarked
package io.hypersync.coordination.putex;

import org.jspecify.annotations.NullMarked;
