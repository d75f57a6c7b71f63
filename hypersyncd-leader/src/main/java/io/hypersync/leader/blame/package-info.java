/** Who has changed what is at a path, from the newest entry back. */
@NullMarked
package io.hypersync.leader.blame;

import org.jspecify.annotations.NullMarked;
