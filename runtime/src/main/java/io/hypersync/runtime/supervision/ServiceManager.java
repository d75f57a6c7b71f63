package io.hypersync.runtime.supervision;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service manager that has started this process, by the protocol of {@code sd_notify(3)}. If it
 * does not hear, the daemon goes on all the same: that is logged, once.
 *
 * <p>A worker that takes a mount over is started by the process that keeps the mount, not by the
 * service manager, with the environment of the worker before: so each says its own number, and
 * {@code WATCHDOG_PID}, which is that of the first one, is not looked at. The unit allows this
 * ({@code NotifyAccess=all}).
 */
public final class ServiceManager {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceManager.class);

  private static final String SOCKET = "NOTIFY_SOCKET";
  private static final String WATCHDOG_US = "WATCHDOG_USEC";

  private final String socket;
  private final Optional<Duration> watchdog;
  private volatile boolean isDeaf;

  private ServiceManager(String socket, Optional<Duration> watchdog) {
    this.socket = socket;
    this.watchdog = watchdog;
  }

  /** The one that an environment names; empty if it names none. */
  public static Optional<ServiceManager> of(Map<String, String> environment) {
    String socket = environment.getOrDefault(SOCKET, "");
    if (!socket.startsWith("/") && !socket.startsWith("@")) {
      return Optional.empty();
    }
    return Optional.of(
        new ServiceManager(socket, limit(environment.getOrDefault(WATCHDOG_US, ""))));
  }

  private static Optional<Duration> limit(String microseconds) {
    try {
      long us = Long.parseLong(microseconds);
      return us <= 0
          ? Optional.empty()
          : Optional.of(Duration.ofNanos(Math.multiplyExact(us, 1000)));
    } catch (NumberFormatException | ArithmeticException none) {
      return Optional.empty();
    }
  }

  /** After how long without {@link #alive} it ends this process; empty if it does not. */
  public Optional<Duration> watchdog() {
    return watchdog;
  }

  /**
   * This process is ready, and is the main one of its service.
   *
   * @param status one line for people
   */
  public void ready(String status) {
    tell("READY=1\nMAINPID=" + ProcessHandle.current().pid() + "\nSTATUS=" + oneLine(status));
  }

  /** This process is about to end because somebody wants it to. */
  public void stopping() {
    tell("STOPPING=1\nSTATUS=stops");
  }

  /** This process makes progress. */
  public void alive() {
    tell("WATCHDOG=1");
  }

  private static String oneLine(String status) {
    return status.replaceAll("\\p{Cntrl}", " ");
  }

  private void tell(String text) {
    try {
      NotifySocket.send(socket, text);
    } catch (IOException e) {
      if (!isDeaf) {
        isDeaf = true;
        LOG.warn("the service manager at {} does not hear: {}", socket, e.getMessage());
      }
    }
  }
}
