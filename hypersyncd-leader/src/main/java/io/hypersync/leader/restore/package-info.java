/** Carries out the plan of a restore, entry by entry. */
@NullMarked
package io.hypersync.leader.restore;

import org.jspecify.annotations.NullMarked;
