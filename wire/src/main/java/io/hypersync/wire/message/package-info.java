/** The messages between leader and workers, as values (hypersync.md 9.5). */
@NullMarked
package io.hypersync.wire.message;

import org.jspecify.annotations.NullMarked;
