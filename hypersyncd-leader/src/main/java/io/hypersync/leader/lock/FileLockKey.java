package io.hypersync.leader.lock;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.lock.LockSpace;

/** Names the locks of one node that can conflict: those in one lock space. */
record FileLockKey(NodeId node, LockSpace space) {}
