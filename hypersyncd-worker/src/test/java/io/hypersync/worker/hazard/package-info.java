/** Tests of what a worker tells of hazards. */
@NullMarked
package io.hypersync.worker.hazard;

import org.jspecify.annotations.NullMarked;
