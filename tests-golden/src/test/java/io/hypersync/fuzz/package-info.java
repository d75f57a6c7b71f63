/** Fuzzing of every decoder that reads bytes written by others. */
@NullMarked
package io.hypersync.fuzz;

import org.jspecify.annotations.NullMarked;
