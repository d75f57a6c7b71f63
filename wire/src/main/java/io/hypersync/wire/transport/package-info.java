/**
 * What leader and worker see of a transport, whichever it is: the ports that QUIC implements and a
 * simulated network can (design 8, 10).
 */
@NullMarked
package io.hypersync.wire.transport;

import org.jspecify.annotations.NullMarked;
