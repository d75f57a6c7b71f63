/** The command that looks for bugs with the simulator; it is built for itself only. */
@NullMarked
package io.hypersync.cli.simulate;

import org.jspecify.annotations.NullMarked;
