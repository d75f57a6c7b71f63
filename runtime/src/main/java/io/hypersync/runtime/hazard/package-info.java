/** How daemons tell hazards, the same on leader and worker (hypersync.md 11). */
@NullMarked
package io.hypersync.runtime.hazard;

import org.jspecify.annotations.NullMarked;
