/** Connected workers and the log on its way to them (hypersync.md 12). */
@NullMarked
package io.hypersync.leader.session;

import org.jspecify.annotations.NullMarked;
