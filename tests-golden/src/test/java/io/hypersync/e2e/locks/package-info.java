/** Locks, SQLite, which relies on them, and files that are open without a name. */
@NullMarked
package io.hypersync.e2e.locks;

import org.jspecify.annotations.NullMarked;
