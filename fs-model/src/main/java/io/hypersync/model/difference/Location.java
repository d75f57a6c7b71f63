package io.hypersync.model.difference;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;

/** A name in a directory. */
public record Location(NodeId parent, Name name) {}
