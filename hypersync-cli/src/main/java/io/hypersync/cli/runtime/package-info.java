/** Runs a daemon as a process: from its configuration to its end. */
@NullMarked
package io.hypersync.cli.runtime;

import org.jspecify.annotations.NullMarked;
