package io.hypersync.model.history;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;

/** A name in a directory, whether it exists or not. */
public record NamePlace(NodeId directory, Name name) {}
