package io.hypersync.worker.fuse.jnr;

/**
 * Who makes a call.
 *
 * @param uid the filesystem user id
 * @param gid the filesystem group id
 * @param pid the thread's id; 0 if the kernel itself asks
 */
record Caller(int uid, int gid, int pid) {}
