package io.hypersync.leader.leadership;

import java.util.function.Consumer;

/**
 * Whether this process may act as the leader at this moment. Everything that changes something or
 * tells somebody asks it first, each time ({@code docs/leadership.md} lists what that is). Any
 * thread.
 */
public interface LeaderGate {
  /** Of a leader that nobody else can be beside: simulated ones, and those of tests. */
  LeaderGate ALONE =
      new LeaderGate() {
        @Override
        public boolean isLeader() {
          return true;
        }

        @Override
        public void onLost(Consumer<String> then) {
          // never lost
        }
      };

  /**
   * Whether this process leads. Once it was the leader and is not, it never is again. Usually
   * answered from memory; reads the claim file if that was not refreshed in time.
   */
  boolean isLeader();

  /**
   * Sets what is done when leadership is lost.
   *
   * @param then called once with the reason, for a person; on any thread, without waiting for it.
   *     At once if it was lost already
   */
  void onLost(Consumer<String> then);
}
