@NullMarked
package io.hypersync.leader.backup;

import org.jspecify.annotations.NullMarked;
