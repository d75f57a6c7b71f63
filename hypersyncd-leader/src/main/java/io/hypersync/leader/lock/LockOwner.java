package io.hypersync.leader.lock;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.lock.LockSpace;

/**
 * The owner of a lock: an open file or a process of a worker. A worker has one run at a time, so
 * its name identifies the run. In the POSIX space too, the owner may be an open file (F_OFD_SETLK):
 * the FUSE protocol does not distinguish the two.
 *
 * @param kernelOwner the owner's number in the worker's kernel
 */
record LockOwner(WorkerId worker, LockSpace space, long kernelOwner) {}
