/**
 * The transport: QUIC with mutual TLS, six streams a connection (hypersync.md 12.1, 18). The home
 * of Netty.
 */
@NullMarked
package io.hypersync.wire.quic;

import org.jspecify.annotations.NullMarked;
