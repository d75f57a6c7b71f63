/** Bytes that nobody encoded, for every decoder that reads what others wrote. */
@NullMarked
package io.hypersync.fuzz;

import org.jspecify.annotations.NullMarked;
