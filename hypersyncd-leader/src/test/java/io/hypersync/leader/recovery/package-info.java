/** Specifications of replaying the log at start. */
@NullMarked
package io.hypersync.leader.recovery;

import org.jspecify.annotations.NullMarked;
