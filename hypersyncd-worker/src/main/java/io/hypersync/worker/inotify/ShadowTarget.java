package io.hypersync.worker.inotify;

import io.hypersync.model.state.Node;
import org.jspecify.annotations.Nullable;

/**
 * The node that a shadow call finds under a name. An event in a directory reports only a name and
 * whether it is a directory, so most calls are made on a stand-in: an inode that no process has
 * seen, on which the kernel may do what it does to removed and moved ones. Only a node that is
 * itself watched must be the real one, to get its own events.
 *
 * @param directory whether the node is a directory
 * @param real the node as before the entry, or null for a stand-in
 */
public record ShadowTarget(boolean directory, @Nullable Node real) {}
