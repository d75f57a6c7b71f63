/** A standby as a process: a worker that mounts nothing, and the log of a leader beside it. */
@NullMarked
package io.hypersync.cli.standby;

import org.jspecify.annotations.NullMarked;
