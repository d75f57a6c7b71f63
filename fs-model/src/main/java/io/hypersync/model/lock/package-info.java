/**
 * Advisory locks as values: ranges, modes, and the locks of one owner on one file (hypersync.md
 * 10.2).
 */
@NullMarked
package io.hypersync.model.lock;

import org.jspecify.annotations.NullMarked;
