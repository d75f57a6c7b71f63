/** The agent of a process mutex with real scripts and its real switch. */
@NullMarked
package io.hypersync.coordination.daemon;

import org.jspecify.annotations.NullMarked;
