/**
 * The transport over QUIC with mutual TLS, six streams per connection (hypersync.md 12.1, 18). The
 * only package that uses Netty's sockets; {@code wire.codec} uses its buffers.
 */
@NullMarked
package io.hypersync.wire.quic;

import org.jspecify.annotations.NullMarked;
