/** Fault injection that tests switch on in a daemon. */
@NullMarked
package io.hypersync.wire.fault;

import org.jspecify.annotations.NullMarked;
