/** What a daemon says to the service manager that has started it, such as systemd. */
@NullMarked
package io.hypersync.runtime.supervision;

import org.jspecify.annotations.NullMarked;
