/**
 * Snapshots of the workspace on a replica's disk (hypersync.md 13.1): how one is taken, kept, and
 * read at a start. Leader and workers use the same code.
 */
@NullMarked
package io.hypersync.snapshot;

import org.jspecify.annotations.NullMarked;
