/** Tests of what is alive, and of what is removed. */
@NullMarked
package io.hypersync.leader.collection;

import org.jspecify.annotations.NullMarked;
