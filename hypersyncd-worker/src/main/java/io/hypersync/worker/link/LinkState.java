package io.hypersync.worker.link;

/** The state of the connection between this worker and the leader (hypersync.md 6.4). */
public enum LinkState {
  /** No connection; the next attempt follows after a pause. */
  DOWN,
  /** An attempt to connect is under way. */
  CONNECTING,
  /** Connected; Hello is sent, Welcome has not arrived yet. */
  HANDSHAKING,
  /**
   * Welcome has arrived; entries committed before it are being applied. Mutations are still
   * refused.
   */
  CATCHING_UP,
  /** Caught up: mutations are accepted. */
  LIVE,
  /** The leader has refused this worker for a reason that another attempt does not change. */
  REFUSED
}
