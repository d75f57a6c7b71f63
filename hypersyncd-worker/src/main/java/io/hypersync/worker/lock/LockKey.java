package io.hypersync.worker.lock;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.lock.LockSpace;

/**
 * Whatever one owner has locked of one file.
 *
 * @param owner what the kernel calls it: a process for fcntl, an open file for flock and F_OFD
 */
public record LockKey(NodeId node, LockSpace space, long owner) {}
