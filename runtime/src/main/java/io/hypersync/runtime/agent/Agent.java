package io.hypersync.runtime.agent;

/**
 * Decision code without a thread of its own: in production one thread calls it, in tests the
 * simulator does. All methods of an agent are called on the thread that calls {@code doWork}.
 */
public interface Agent {
  /**
   * Does a bounded part of what can be done now. Never waits for another thread or for the network;
   * the leader's agent waits for its disk where it writes a lone commit itself (decision 016).
   *
   * @return how much was done; 0 means there is nothing to do until input arrives or time passes
   */
  int doWork();
}
