/** Who holds a lease, and when somebody else does. */
@NullMarked
package io.hypersync.coordination.lease;

import org.jspecify.annotations.NullMarked;
