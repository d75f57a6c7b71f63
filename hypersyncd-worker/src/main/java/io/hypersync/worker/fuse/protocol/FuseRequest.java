package io.hypersync.worker.fuse.protocol;

/**
 * One filesystem request of the kernel.
 *
 * @param header the caller, and the node it is about
 * @param operation the request itself
 */
public record FuseRequest(RequestHeader header, FuseOperation operation) {
  /** The same request, made by this agent. */
  public FuseRequest by(CallerAgent agent) {
    return agent.equals(header.agent()) ? this : new FuseRequest(header.by(agent), operation);
  }
}
