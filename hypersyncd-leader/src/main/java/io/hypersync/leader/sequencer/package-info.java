/** The one place where mutations get their order (hypersync.md 8). */
@NullMarked
package io.hypersync.leader.sequencer;

import org.jspecify.annotations.NullMarked;
