/**
 * Which workers are there: a lease for each, which outlives its connections, and the token by which
 * a worker takes up its session again.
 */
@NullMarked
package io.hypersync.leader.presence;

import org.jspecify.annotations.NullMarked;
