/** The memory that a daemon holds and does not use while it is idle. */
@NullMarked
package io.hypersync.cli.memory;

import org.jspecify.annotations.NullMarked;
