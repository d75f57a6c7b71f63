@NullMarked
package io.hypersync.leader.history;

import org.jspecify.annotations.NullMarked;
