/** What an entry says of its overlaps with the work of others (hypersync.md 11). */
@NullMarked
package io.hypersync.model.hazard;

import org.jspecify.annotations.NullMarked;
