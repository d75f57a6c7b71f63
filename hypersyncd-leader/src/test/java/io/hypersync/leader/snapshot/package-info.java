@NullMarked
package io.hypersync.leader.snapshot;

import org.jspecify.annotations.NullMarked;
