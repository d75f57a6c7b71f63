/**
 * The transport ports of leader and worker, which QUIC implements, and the simulator's network,
 * too.
 */
@NullMarked
package io.hypersync.wire.transport;

import org.jspecify.annotations.NullMarked;
