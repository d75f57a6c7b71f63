package io.hypersync.worker.vfs;

import io.hypersync.model.id.NodeId;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;

/**
 * What a mutation was made through, as far as the kernel says: the locks of either fence it.
 *
 * @param node the file that it changes
 * @param handle the open file; NONE if the call names a path
 * @param process the calling process as an owner of fcntl locks; NONE if the kernel does not say
 */
record Descriptor(NodeId node, FileHandle handle, FuseLockOwner process) {}
