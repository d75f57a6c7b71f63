/** Admission limits for packets and intents of others: decisions without a clock or a socket. */
@NullMarked
package io.hypersync.wire.admission;

import org.jspecify.annotations.NullMarked;
