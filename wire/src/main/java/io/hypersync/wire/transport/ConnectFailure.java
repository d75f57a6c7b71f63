package io.hypersync.wire.transport;

/** Why an attempt to connect failed. */
public enum ConnectFailure {
  /** Nobody answered in time, or the address cannot be reached: trying again makes sense. */
  UNREACHABLE,
  /**
   * One side does not accept the other's certificate: another workspace, another authority, or out
   * of date. Trying again without a change is useless.
   */
  CERTIFICATE,
  /** The other side speaks another protocol, or another version of it. */
  PROTOCOL
}
