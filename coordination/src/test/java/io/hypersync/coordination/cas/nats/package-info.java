/** The store in a bucket of NATS, with a real server. */
@NullMarked
package io.hypersync.coordination.cas.nats;

import org.jspecify.annotations.NullMarked;
