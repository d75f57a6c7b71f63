/** Records in a bucket of NATS: the home of its client. */
@NullMarked
package io.hypersync.coordination.cas.nats;

import org.jspecify.annotations.NullMarked;
