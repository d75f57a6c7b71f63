/**
 * The {@code simulate} command, which searches for bugs with the simulator. The launcher adds this
 * module to the class path for this command only.
 */
@NullMarked
package io.hypersync.cli.simulate;

import org.jspecify.annotations.NullMarked;
