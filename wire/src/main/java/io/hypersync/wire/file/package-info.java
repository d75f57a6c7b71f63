/** Files that survive a power loss (hypersync.md 0.1.2). */
@NullMarked
package io.hypersync.wire.file;

import org.jspecify.annotations.NullMarked;
