/** The meaning of every kernel request against S_a (hypersync.md 6). */
@NullMarked
package io.hypersync.worker.vfs;

import org.jspecify.annotations.NullMarked;
