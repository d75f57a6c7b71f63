/**
 * Which chunks are alive, and when those that are not are removed (hypersync.md 14.2). Decisions
 * are made on the agent's thread; what is marked and swept off it is in steps that tests can stop
 * between.
 */
@NullMarked
package io.hypersync.leader.collection;

import org.jspecify.annotations.NullMarked;
