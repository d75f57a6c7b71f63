package io.hypersync.leader.oplog.chronicle;

import net.openhft.chronicle.core.Jvm;
import net.openhft.chronicle.core.onoes.ExceptionHandler;

/**
 * Chronicle's process-wide settings: no announcement on stdout, no analytics over the network, no
 * background thread that watches the disk, warnings and errors to SLF4J.
 */
final class ChronicleRuntime {
  private static final ExceptionHandler WARN =
      (logger, message, thrown) -> logger.warn(message, thrown);
  private static final ExceptionHandler ERROR =
      (logger, message, thrown) -> logger.error(message, thrown);

  static {
    // Read once by static initialisers of Chronicle, hence before any of its classes is touched.
    System.setProperty("chronicle.announcer.disable", "true");
    System.setProperty("chronicle.analytics.disable", "true");
    System.setProperty("chronicle.disk.monitor.disable", "true");
    Jvm.setExceptionHandlers(ERROR, WARN, null, null);
  }

  private ChronicleRuntime() {}

  /** Applies the settings once; to be called before Chronicle is used. */
  static void initialise() {
    // Calling this runs the static initialiser, which does the work.
  }
}
