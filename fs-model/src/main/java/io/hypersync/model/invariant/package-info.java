/** What must hold at any time (hypersync.md 22.1), looked at where it is decided. */
@NullMarked
package io.hypersync.model.invariant;

import org.jspecify.annotations.NullMarked;
