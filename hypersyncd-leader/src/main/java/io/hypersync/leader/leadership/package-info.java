/**
 * Which process of a host leads a workspace (hypersync.md 19): the claim file, who may take it, and
 * the gate that everything which acts as the leader passes. Decisions only; the file, the processes
 * and the timer are in {@code leader.daemon.leadership}.
 */
@NullMarked
package io.hypersync.leader.leadership;

import org.jspecify.annotations.NullMarked;
