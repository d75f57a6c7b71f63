package io.hypersync.leader.lock;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.lock.LockSpace;

/** The locks of one file which see each other. */
record LockKey(NodeId node, LockSpace space) {}
