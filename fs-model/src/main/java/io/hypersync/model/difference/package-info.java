/** What differs between two states of a workspace, by path. */
@NullMarked
package io.hypersync.model.difference;

import org.jspecify.annotations.NullMarked;
