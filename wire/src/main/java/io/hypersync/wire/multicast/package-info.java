/**
 * Packets that the leader sends to all workers at once (hypersync.md 12.2): how they are sealed,
 * and what a worker checks before it believes anything. No I/O.
 */
@NullMarked
package io.hypersync.wire.multicast;

import org.jspecify.annotations.NullMarked;
