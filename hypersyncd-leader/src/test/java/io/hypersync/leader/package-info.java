/** What the specifications of the leader share. */
@NullMarked
package io.hypersync.leader;

import org.jspecify.annotations.NullMarked;
