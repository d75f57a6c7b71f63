/** The semantics of every kernel request against S_v (hypersync.md 6). */
@NullMarked
package io.hypersync.worker.vfs;

import org.jspecify.annotations.NullMarked;
