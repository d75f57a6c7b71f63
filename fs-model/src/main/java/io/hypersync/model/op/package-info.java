/** The logged mutations and their canonical bytes (hypersync.md 6.1, 8.1). */
@NullMarked
package io.hypersync.model.op;

import org.jspecify.annotations.NullMarked;
