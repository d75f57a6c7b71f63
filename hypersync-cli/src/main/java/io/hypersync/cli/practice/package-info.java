/**
 * What a daemon does before it serves: it makes calls of the kind that it will serve, on a leader,
 * a worker and a filesystem in memory, until the JVM has compiled what they run. See decision 051.
 */
@NullMarked
package io.hypersync.cli.practice;

import org.jspecify.annotations.NullMarked;
