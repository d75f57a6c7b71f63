/** Per-stage durations of mutations, as both daemons record and show them (hypersync.md 17.1). */
@NullMarked
package io.hypersync.runtime.stages;

import org.jspecify.annotations.NullMarked;
