/** Cost of the leader's time measurements; in this package to call package-private code. */
@NullMarked
package io.hypersync.leader.daemon;

import org.jspecify.annotations.NullMarked;
