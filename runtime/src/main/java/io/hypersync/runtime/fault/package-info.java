/** Fault injection that tests switch on in a daemon. */
@NullMarked
package io.hypersync.runtime.fault;

import org.jspecify.annotations.NullMarked;
