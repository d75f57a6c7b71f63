/** The command line of the simulator. */
@NullMarked
package io.hypersync.cli.simulate;

import org.jspecify.annotations.NullMarked;
