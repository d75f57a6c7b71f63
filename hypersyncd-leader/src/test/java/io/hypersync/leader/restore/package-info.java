@NullMarked
package io.hypersync.leader.restore;

import org.jspecify.annotations.NullMarked;
