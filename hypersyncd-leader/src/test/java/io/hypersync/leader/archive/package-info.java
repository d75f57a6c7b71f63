@NullMarked
package io.hypersync.leader.archive;

import org.jspecify.annotations.NullMarked;
