/** Sessions of connected workers, and the sending of the log to them (hypersync.md 12). */
@NullMarked
package io.hypersync.leader.session;

import org.jspecify.annotations.NullMarked;
