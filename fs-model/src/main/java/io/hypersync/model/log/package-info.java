/** The log entry: one committed mutation (hypersync.md 8.1). */
@NullMarked
package io.hypersync.model.log;

import org.jspecify.annotations.NullMarked;
