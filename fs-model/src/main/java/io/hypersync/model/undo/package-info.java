/** What one agent has done since some entry, and a state in which it has not. */
@NullMarked
package io.hypersync.model.undo;

import org.jspecify.annotations.NullMarked;
