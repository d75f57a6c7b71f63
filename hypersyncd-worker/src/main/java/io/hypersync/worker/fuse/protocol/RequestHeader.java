package io.hypersync.worker.fuse.protocol;

import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.FuseOpcode;

/**
 * The header of a request, and what was found out about who makes it.
 *
 * @param unique the request's number; the reply must carry it
 * @param nodeId the node it is about, 1 being the root; 0 if the request is about none
 * @param uid the caller's filesystem user id
 * @param gid the caller's filesystem group id
 * @param pid the caller's thread id; 0 if the kernel itself asks
 * @param opcode the kind of request
 * @param agent the caller's agent. Not of the kernel's, but kept here since it must be that of this
 *     call, however long the call waits
 */
public record RequestHeader(
    RequestId unique,
    InodeNo nodeId,
    int uid,
    int gid,
    int pid,
    FuseOpcode opcode,
    CallerAgent agent) {
  /** The header as it came from the kernel. */
  public RequestHeader(
      RequestId unique, InodeNo nodeId, int uid, int gid, int pid, FuseOpcode opcode) {
    this(unique, nodeId, uid, gid, pid, opcode, CallerAgent.NONE);
  }

  /** The same, made by this agent. */
  public RequestHeader by(CallerAgent caller) {
    return caller.equals(agent)
        ? this
        : new RequestHeader(unique, nodeId, uid, gid, pid, opcode, caller);
  }

  /**
   * The header for the rest of a request that is partly done: its number matches no interrupt, so
   * the request no longer ends with EINTR.
   */
  public RequestHeader uninterruptible() {
    return new RequestHeader(unique.uninterruptible(), nodeId, uid, gid, pid, opcode, agent);
  }
}
