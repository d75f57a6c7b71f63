package io.hypersync.wire.transport;

/** Why an attempt to connect failed. */
public enum ConnectFailure {
  /** No answer in time, or the address cannot be reached: a retry makes sense. */
  UNREACHABLE,
  /**
   * One side does not accept the other's certificate: another workspace, another authority, or
   * expired. A retry without a change is useless.
   */
  CERTIFICATE,
  /** The peer speaks another protocol, or another version of it. */
  PROTOCOL
}
