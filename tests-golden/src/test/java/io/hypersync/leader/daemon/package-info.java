/** What the figures of the leader cost, measured where they are made. */
@NullMarked
package io.hypersync.leader.daemon;

import org.jspecify.annotations.NullMarked;
