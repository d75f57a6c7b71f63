package io.hypersync.model.state;

import io.hypersync.model.id.NodeId;

/**
 * The leader's decisions for one op. They are logged with it, so that applying it is a pure
 * function (hypersync.md 9.4).
 *
 * @param timeNs committed_at in nanoseconds since 1970
 * @param newNode the id of the node that the op creates, never used before; ignored if it creates
 *     none
 */
public record Stamp(long timeNs, NodeId newNode) {}
