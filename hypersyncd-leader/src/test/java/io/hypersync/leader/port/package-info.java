/** Ports for tests. */
@NullMarked
package io.hypersync.leader.port;

import org.jspecify.annotations.NullMarked;
