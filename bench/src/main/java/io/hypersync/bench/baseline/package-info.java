/** Compares the ratios of a run, never its times, with those of an earlier run. */
@NullMarked
package io.hypersync.bench.baseline;

import org.jspecify.annotations.NullMarked;
