/** Models of the failover, checked exhaustively. */
@NullMarked
package io.hypersync.failover;

import org.jspecify.annotations.NullMarked;
