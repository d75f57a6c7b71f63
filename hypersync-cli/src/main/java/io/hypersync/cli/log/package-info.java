/** How a daemon's log lines are written. */
@NullMarked
package io.hypersync.cli.log;

import org.jspecify.annotations.NullMarked;
