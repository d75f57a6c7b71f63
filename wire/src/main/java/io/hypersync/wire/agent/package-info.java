/** How decision code is run: single-threaded agents and the ports that they share. */
@NullMarked
package io.hypersync.wire.agent;

import org.jspecify.annotations.NullMarked;
