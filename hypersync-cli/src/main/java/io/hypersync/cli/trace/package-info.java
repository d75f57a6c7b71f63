/**
 * Golden traces: logs with their chunks in one file, their writing and replay (hypersync.md 22.2).
 */
@NullMarked
package io.hypersync.cli.trace;

import org.jspecify.annotations.NullMarked;
