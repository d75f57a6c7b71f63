@NullMarked
package io.hypersync.leader.syncstandby;

import org.jspecify.annotations.NullMarked;
