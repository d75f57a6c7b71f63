/** What entries of the log did to names and nodes. */
@NullMarked
package io.hypersync.model.history;

import org.jspecify.annotations.NullMarked;
