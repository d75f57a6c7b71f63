/** The claim file, the processes of the host, and the timer of {@code leader.leadership}. */
@NullMarked
package io.hypersync.leader.daemon.leadership;

import org.jspecify.annotations.NullMarked;
