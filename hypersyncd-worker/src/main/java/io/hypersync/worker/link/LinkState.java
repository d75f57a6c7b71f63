package io.hypersync.worker.link;

/** What there is between this worker and the leader (hypersync.md 6.4). */
public enum LinkState {
  /** No connection; one is tried after a pause. */
  DOWN,
  /** An attempt is under way. */
  CONNECTING,
  /** Connected; Hello is sent and not answered yet. */
  GREETING,
  /** Welcome; what was committed meanwhile is being caught up. Mutations are refused still. */
  CATCHING_UP,
  /** In touch and caught up: mutations are accepted. */
  LIVE,
  /** The leader has refused this worker for a reason that trying again will not change. */
  REFUSED
}
