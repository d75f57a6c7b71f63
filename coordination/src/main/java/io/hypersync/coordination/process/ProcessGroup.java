package io.hypersync.coordination.process;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A script, and what it has started in its process group, which is that of {@code timeout}. Killed
 * by one signal to the group: of processes that are killed one after the other, one may start
 * another that nobody has seen.
 */
public final class ProcessGroup {
  private static final int SIGKILL = 9;
  private static final long PAUSE_MS = 2;
  private static final Path PROC = Path.of("/proc");

  private static final MethodHandle KILL =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("kill"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  private ProcessGroup() {}

  /** Kills it, if its leader runs. A leader that makes its group only now may escape. */
  public static void signalKill(Process leader) {
    if (leader.isAlive()) {
      signalKill(leader.pid());
      leader.destroyForcibly();
    }
  }

  /**
   * Kills it, and waits until nothing of it runs. A leader that has ended may have left others.
   *
   * @return false if something still runs after that time
   */
  public static boolean kill(Process leader, long limitNs) throws InterruptedException {
    long end = System.nanoTime() + limitNs;
    signalKill(leader);
    while (leader.isAlive() || runs(leader.pid())) {
      if (System.nanoTime() >= end) {
        return false;
      }
      signalKill(leader.pid());
      TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
    }
    return true;
  }

  private static void signalKill(long group) {
    try {
      // It fails if there is no such group, which is as well.
      var _ = (int) KILL.invokeExact(-Math.toIntExact(group), SIGKILL);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) { // a downcall throws none of its own
      throw new IllegalStateException("kill could not be called", e);
    }
  }

  /** Whether a process of the group runs. One that has ended and is not yet reaped does not. */
  private static boolean runs(long group) {
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        if (runsIn(group, process)) {
          return true;
        }
      }
      return false;
    } catch (IOException | DirectoryIteratorException failure) {
      throw new IllegalStateException("/proc cannot be read", failure);
    }
  }

  private static boolean runsIn(long group, Path process) {
    try {
      String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
      // "pid (name) state parent group ...", and the name may have anything in it.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 4);
      boolean hasEnded = fields[0].equals("Z") || fields[0].equals("X");
      return !hasEnded && Long.parseLong(fields[2]) == group;
    } catch (IOException _) {
      return false; // it is gone meanwhile
    }
  }
}
