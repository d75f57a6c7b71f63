package io.hypersync.leader.lock;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.lock.LockSpace;

/**
 * Who holds a lock: an open file, a process. A worker has one run at a time, so its name will do
 * for it. An owner of the POSIX space may be an open file too (F_OFD_SETLK): the FUSE protocol does
 * not tell.
 *
 * @param kernelOwner what the worker's kernel calls it
 */
record LockOwner(WorkerId worker, LockSpace space, long kernelOwner) {}
