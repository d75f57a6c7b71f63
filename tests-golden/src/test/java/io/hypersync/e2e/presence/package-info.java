/** Which workers are there, with real daemons: leases, and sessions that are taken up again. */
@NullMarked
package io.hypersync.e2e.presence;

import org.jspecify.annotations.NullMarked;
