/** Mutations on their way to the leader (hypersync.md 6.3, 6.4, 8.2, 9.3). */
@NullMarked
package io.hypersync.worker.intents;

import org.jspecify.annotations.NullMarked;
