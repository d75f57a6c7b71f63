/** Files that survive a power failure (hypersync.md 0.1.2), their permissions, and their errors. */
@NullMarked
package io.hypersync.runtime.file;

import org.jspecify.annotations.NullMarked;
