@NullMarked
package io.hypersync.leader.scrub;

import org.jspecify.annotations.NullMarked;
