/** Golden traces: committed histories that every later version replays (hypersync.md 22.2). */
@NullMarked
package io.hypersync.trace;

import org.jspecify.annotations.NullMarked;
