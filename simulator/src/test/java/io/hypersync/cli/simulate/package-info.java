/** Tests of the simulator's command line. */
@NullMarked
package io.hypersync.cli.simulate;

import org.jspecify.annotations.NullMarked;
