package io.hypersync.worker.lock;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;

/**
 * Identifies all locks of one owner on one file, in one lock space.
 *
 * @param owner the kernel's id of the owner: a process for fcntl, an open file for flock and F_OFD
 */
public record OwnerLockKey(NodeId node, LockSpace space, FuseLockOwner owner) {}
