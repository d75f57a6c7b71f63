@NullMarked
package io.hypersync.leader.blame;

import org.jspecify.annotations.NullMarked;
