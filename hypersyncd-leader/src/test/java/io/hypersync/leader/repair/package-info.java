@NullMarked
package io.hypersync.leader.repair;

import org.jspecify.annotations.NullMarked;
