package io.hypersync.cli.reload;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SIGHUP, by which a service manager has a daemon read its configuration again. In a terminal it
 * says that the terminal is gone, and ends the process as before.
 */
final class HangUp {
  private static final Logger LOG = LoggerFactory.getLogger(HangUp.class);

  private HangUp() {}

  /** From now on runs this at each SIGHUP, on a thread of the JVM. */
  static void hear(Runnable task) {
    if (isInTerminal()) {
      return;
    }
    try {
      // By name: the compiler warns of this package of the JDK, and no other has signals.
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object listener =
          Proxy.newProxyInstance(
              HangUp.class.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, args) ->
                  switch (method.getName()) {
                    case "handle" -> {
                      task.run();
                      yield null;
                    }
                    case "equals" -> isSame(proxy, args[0]);
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> "SIGHUP";
                  });
      Object before =
          signal
              .getMethod("handle", signal, handler)
              .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), listener);
      // What whoever started this has ignored, as nohup does, stays so: the JVM says so by this.
      if (isSame(before, handler.getField("SIG_IGN").get(null))) {
        LOG.debug("SIGHUP is ignored, as whoever has started this wants it");
      }
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      // With -Xrs the JVM gives signals to nobody, and SIGHUP ends the process.
      LOG.warn("SIGHUP ends this daemon, as the JVM does not hear it (-Xrs?): {}", why(e));
    }
  }

  private static boolean isInTerminal() {
    try {
      String input = Files.readSymbolicLink(Path.of("/proc/self/fd/0")).toString();
      return input.startsWith("/dev/pts/") || input.startsWith("/dev/tty");
    } catch (IOException e) {
      LOG.debug("standard input is not known", e);
      return false;
    }
  }

  private static String why(Exception failure) {
    return String.valueOf(failure.getCause() == null ? failure : failure.getCause());
  }

  @SuppressWarnings("ReferenceEquality") // a proxy has no other equality
  private static boolean isSame(@Nullable Object one, @Nullable Object other) {
    return one == other;
  }
}
