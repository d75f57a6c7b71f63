package io.hypersync.cli.memory;

import io.hypersync.runtime.agent.Clock;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Thread that gives free heap of this process back whenever the process is idle. */
public final class IdleMemoryThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IdleMemoryThread.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final Thread thread;

  private IdleMemoryThread(Thread thread) {
    this.thread = thread;
  }

  /** Starts the thread. It ends at once if giving memory back would pause the process for long. */
  public static IdleMemoryThread start() {
    return new IdleMemoryThread(
        Thread.ofPlatform().daemon().name("idle-memory").start(IdleMemoryThread::run));
  }

  private static void run() {
    try {
      var memory = JvmMemory.ofThisProcess();
      if (memory.isEmpty()) {
        LOG.debug(
            "memory is not given back: it is not G1 that collects, or it would stop the process for that");
        return;
      }
      IdleMemory agent = new IdleMemory(memory.get(), Clock.SYSTEM);
      while (true) {
        Thread.sleep(INTERVAL);
        var _ = agent.doWork();
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException failure) {
      LOG.warn("memory is not given back any more", failure);
    }
  }

  /** Interrupts the thread; does not wait for it to end. */
  @Override
  public void close() {
    thread.interrupt();
  }
}
