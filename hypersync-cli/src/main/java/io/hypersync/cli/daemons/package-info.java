/** The daemons and mounts of this machine, living and dead. */
@NullMarked
package io.hypersync.cli.daemons;

import org.jspecify.annotations.NullMarked;
