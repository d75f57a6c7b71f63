/** Returns memory of idle daemons to the system. */
@NullMarked
package io.hypersync.cli.memory;

import org.jspecify.annotations.NullMarked;
