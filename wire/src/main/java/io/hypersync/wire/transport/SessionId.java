package io.hypersync.wire.transport;

/**
 * The leader's number of one connection of one worker; a reconnect is another session.
 *
 * @param value from 1, never reused by one transport
 */
public record SessionId(long value) {
  @Override
  public String toString() {
    return "session " + value;
  }
}
