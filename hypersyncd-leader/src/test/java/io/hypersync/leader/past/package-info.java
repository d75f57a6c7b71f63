@NullMarked
package io.hypersync.leader.past;

import org.jspecify.annotations.NullMarked;
