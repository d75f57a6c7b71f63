/**
 * A network between two processes of one machine that loses and delays packets, for measurements.
 */
@NullMarked
package io.hypersync.cli.relay;

import org.jspecify.annotations.NullMarked;
