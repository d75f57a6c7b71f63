/** Names of what happens, for whoever reads logs by program. */
@NullMarked
package io.hypersync.runtime.log;

import org.jspecify.annotations.NullMarked;
