package io.hypersync.worker.fuse.protocol;

import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.FuseOpcode;

/**
 * The header of a request.
 *
 * @param unique the request's number; the reply must carry it
 * @param nodeId the node it is about, 1 being the root; 0 if the request is about none
 * @param uid the caller's filesystem user id
 * @param gid the caller's filesystem group id
 * @param pid the caller's thread id; 0 if the kernel itself asks
 * @param opcode the kind of request
 */
public record RequestHeader(
    RequestId unique, InodeNo nodeId, int uid, int gid, int pid, FuseOpcode opcode) {
  /**
   * The header for the rest of a request that is partly done: its number {@link RequestId#NONE}
   * matches no interrupt, so the request no longer ends with EINTR.
   */
  public RequestHeader uninterruptible() {
    return new RequestHeader(RequestId.NONE, nodeId, uid, gid, pid, opcode);
  }
}
