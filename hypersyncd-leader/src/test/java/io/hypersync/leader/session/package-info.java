/** Specifications of what decides at the leader. */
@NullMarked
package io.hypersync.leader.session;

import org.jspecify.annotations.NullMarked;
