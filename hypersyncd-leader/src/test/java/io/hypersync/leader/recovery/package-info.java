/** Tests of the replay at startup. */
@NullMarked
package io.hypersync.leader.recovery;

import org.jspecify.annotations.NullMarked;
