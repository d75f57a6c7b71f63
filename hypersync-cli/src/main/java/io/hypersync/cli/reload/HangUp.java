package io.hypersync.cli.reload;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
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
                    case "equals" ->
                        System.identityHashCode(proxy) == System.identityHashCode(args[0]);
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> "SIGHUP";
                  });
      var _ =
          signal
              .getMethod("handle", signal, handler)
              .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), listener);
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      // As under nohup, which has it ignored.
      LOG.debug("SIGHUP is not heard", e);
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

  @SuppressWarnings("ReferenceEquality") // a proxy has no other equality
  private static boolean isSame(Object one, Object other) {
    return one == other;
  }
}
