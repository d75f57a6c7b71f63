/** Golden traces: committed histories that every later version must replay (hypersync.md 22.2). */
@NullMarked
package io.hypersync.trace;

import org.jspecify.annotations.NullMarked;
