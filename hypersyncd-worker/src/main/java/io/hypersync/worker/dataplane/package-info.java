/**
 * Chunks that the leader sends unasked: symbols that arrive in any order, or not at all, and who
 * asks for what does not come (hypersync.md 12.2 to 12.4).
 */
@NullMarked
package io.hypersync.worker.dataplane;

import org.jspecify.annotations.NullMarked;
