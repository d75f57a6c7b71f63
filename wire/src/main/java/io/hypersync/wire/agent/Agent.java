package io.hypersync.wire.agent;

/**
 * Decision code without a thread of its own: production calls it from one thread, the simulator
 * steps it. All methods of an agent are called by the thread that calls {@code doWork}.
 */
public interface Agent {
  /**
   * Does what can be done now, in a bounded slice.
   *
   * @return how much was done; 0 means "nothing to do until something arrives or time passes"
   */
  int doWork();
}
