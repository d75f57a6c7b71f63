/** A store in memory, and what every store has to do. */
@NullMarked
package io.hypersync.coordination.cas;

import org.jspecify.annotations.NullMarked;
