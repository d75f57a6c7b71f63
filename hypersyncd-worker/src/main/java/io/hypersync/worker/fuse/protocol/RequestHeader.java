package io.hypersync.worker.fuse.protocol;

import io.hypersync.worker.fuse.abi.FuseOpcode;

/**
 * What every request says about itself.
 *
 * @param unique the request's number; the reply must carry it
 * @param nodeId the node it is about, 1 being the root; 0 where a request is about none
 * @param uid the caller's filesystem user id
 * @param gid the caller's filesystem group id
 * @param pid the caller's thread id; 0 where the kernel itself asks
 * @param opcode what is asked
 */
public record RequestHeader(
    long unique, long nodeId, int uid, int gid, int pid, FuseOpcode opcode) {
  /**
   * The same for the rest of a request of which a part has been done: no interrupt names it, so it
   * does not end with EINTR any more.
   */
  public RequestHeader uninterruptible() {
    return new RequestHeader(0, nodeId, uid, gid, pid, opcode);
  }
}
