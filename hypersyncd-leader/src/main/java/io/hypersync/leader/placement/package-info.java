/**
 * On which worker an agent is started next (hypersync.md 15): what workers report and what the
 * leader sees of them, whether that is stable, what it is likely to cost, and what was decided.
 */
@NullMarked
package io.hypersync.leader.placement;

import org.jspecify.annotations.NullMarked;
