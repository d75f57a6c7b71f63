/** What each agent of this host may have read of files, for hazards (hypersync.md 11). */
@NullMarked
package io.hypersync.worker.sighting;

import org.jspecify.annotations.NullMarked;
