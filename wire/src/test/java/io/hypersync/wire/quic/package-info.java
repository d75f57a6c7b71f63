@NullMarked
package io.hypersync.wire.quic;

import org.jspecify.annotations.NullMarked;
