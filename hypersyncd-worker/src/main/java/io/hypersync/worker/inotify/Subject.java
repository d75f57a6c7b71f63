package io.hypersync.worker.inotify;

import io.hypersync.model.state.Node;
import org.jspecify.annotations.Nullable;

/**
 * What a shadow call finds under a name. Events in a directory tell a name and whether it is a
 * directory's, no more, so most calls are made on a stand-in: an inode nobody has ever seen, to
 * which the kernel may do what it does to removed and moved ones. Only a node that is watched
 * itself must be the real one to get its events.
 *
 * @param directory whether it is one
 * @param real the node as it was before the entry, or null for a stand-in
 */
public record Subject(boolean directory, @Nullable Node real) {}
