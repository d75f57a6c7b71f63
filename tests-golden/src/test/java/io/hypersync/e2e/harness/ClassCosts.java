package io.hypersync.e2e.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * With {@code -Dhypersync.tests.costs=true}, prints what each class has cost: seconds, and seconds
 * of processor time of this JVM and of all processes that it has started and that have ended since.
 * A class whose two figures are near to each other is not made faster by waiting less.
 */
final class ClassCosts implements BeforeAllCallback, AfterAllCallback {
  private static final boolean WANTED = Boolean.getBoolean("hypersync.tests.costs");
  private static final double TICKS_PER_S = 100;

  /** In what follows the name of a process in /proc: user and system time, own and of children. */
  private static final int FIRST_TIME = 11;

  private static final int TIMES = 4;
  private long beginNs;
  private long beginTicks;

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    beginNs = System.nanoTime();
    beginTicks = ticks();
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    if (WANTED) {
      System.out.printf(
          "costs: %6.1f s, %6.1f s of processor time: %s%n",
          (System.nanoTime() - beginNs) / 1e9,
          (ticks() - beginTicks) / TICKS_PER_S,
          context.getRequiredTestClass().getSimpleName());
    }
  }

  private static long ticks() throws IOException {
    String stat = Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
    List<String> fields = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
    return fields.subList(FIRST_TIME, FIRST_TIME + TIMES).stream().mapToLong(Long::parseLong).sum();
  }
}
