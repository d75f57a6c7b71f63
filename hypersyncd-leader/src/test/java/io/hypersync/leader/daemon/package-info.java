/** Tests of the leader's edge. */
@NullMarked
package io.hypersync.leader.daemon;

import org.jspecify.annotations.NullMarked;
