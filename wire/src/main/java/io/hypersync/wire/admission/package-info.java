/** How much of what others ask for is taken up: decisions without a clock or a socket. */
@NullMarked
package io.hypersync.wire.admission;

import org.jspecify.annotations.NullMarked;
