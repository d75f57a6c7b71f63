/**
 * Which of several processes does the work in the background: a lease that is a record in a store.
 * It spares work; that nothing goes wrong without it is up to what the work writes.
 */
@NullMarked
package io.hypersync.coordination.lease;

import org.jspecify.annotations.NullMarked;
