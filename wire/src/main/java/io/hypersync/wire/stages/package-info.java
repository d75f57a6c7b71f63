/** Where the time of a mutation went, as both daemons keep and show it (hypersync.md 17.1). */
@NullMarked
package io.hypersync.wire.stages;

import org.jspecify.annotations.NullMarked;
