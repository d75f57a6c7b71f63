/** Time that goes on while the machine is suspended. */
@NullMarked
package io.hypersync.runtime.suspend;

import org.jspecify.annotations.NullMarked;
