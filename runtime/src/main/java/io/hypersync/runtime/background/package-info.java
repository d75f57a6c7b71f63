/**
 * Work that a replica does now and then, and that the replicas of a workspace do by turns. See
 * docs/coordination.md.
 */
@NullMarked
package io.hypersync.runtime.background;

import org.jspecify.annotations.NullMarked;
