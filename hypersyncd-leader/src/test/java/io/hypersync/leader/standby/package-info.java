@NullMarked
package io.hypersync.leader.standby;

import org.jspecify.annotations.NullMarked;
