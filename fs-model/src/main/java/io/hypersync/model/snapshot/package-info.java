/** Snapshots of the state: the manifest that names one (hypersync.md 13.1). */
@NullMarked
package io.hypersync.model.snapshot;

import org.jspecify.annotations.NullMarked;
