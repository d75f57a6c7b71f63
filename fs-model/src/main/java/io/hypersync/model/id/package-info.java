/** Typed identifiers and names (hypersync.md 2, 7.1). */
@NullMarked
package io.hypersync.model.id;

import org.jspecify.annotations.NullMarked;
