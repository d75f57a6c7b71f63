package io.hypersync.model.state;

import io.hypersync.model.id.NodeId;

/**
 * What the leader decides and the log carries, so that apply is a pure function (hypersync.md 9.4).
 *
 * @param timeNs committed_at in nanoseconds since 1970
 * @param newNode the id for the node which the op creates, never given before; ignored if it
 *     creates none
 */
public record Stamp(long timeNs, NodeId newNode) {}
