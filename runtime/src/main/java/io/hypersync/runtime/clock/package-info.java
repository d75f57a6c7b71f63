/** Clocks of the kernel that Java does not read. */
@NullMarked
package io.hypersync.runtime.clock;

import org.jspecify.annotations.NullMarked;
