/** What a run found, held against what an earlier one had found: ratios, never times. */
@NullMarked
package io.hypersync.bench.baseline;

import org.jspecify.annotations.NullMarked;
