package io.hypersync.model.restore;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * What a name must lead to for an op to be right.
 *
 * @param parent the directory, which must still be where it was
 * @param node null if the name must not exist
 */
public record NameGuard(PlannedPlace parent, Name name, @Nullable NodeId node) {}
