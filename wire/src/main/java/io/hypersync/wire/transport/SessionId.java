package io.hypersync.wire.transport;

/**
 * One connection of one worker, as the leader numbers them; a reconnect is another session.
 *
 * @param value from 1, never used twice by one transport
 */
public record SessionId(long value) {
  @Override
  public String toString() {
    return "session " + value;
  }
}
