/** What a worker tells of hazards: it has them in the entries that it applies (hypersync.md 11). */
@NullMarked
package io.hypersync.worker.hazard;

import org.jspecify.annotations.NullMarked;
