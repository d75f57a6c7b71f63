/**
 * What leader and worker see of a transport, whichever it is: the ports that QUIC implements and a
 * simulated network can.
 */
@NullMarked
package io.hypersync.wire.transport;

import org.jspecify.annotations.NullMarked;
