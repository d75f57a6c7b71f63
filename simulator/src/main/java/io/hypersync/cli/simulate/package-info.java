/**
 * The {@code simulate} command, which searches for bugs with the simulator. The launcher uses this
 * module for this command only.
 */
@NullMarked
package io.hypersync.cli.simulate;

import org.jspecify.annotations.NullMarked;
