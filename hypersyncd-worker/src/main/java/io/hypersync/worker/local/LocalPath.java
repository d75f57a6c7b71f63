package io.hypersync.worker.local;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import java.util.List;

/**
 * How a local node is reached.
 *
 * @param directory the replicated directory that it is below
 * @param names from there on
 */
public record LocalPath(NodeId directory, List<Name> names) {}
