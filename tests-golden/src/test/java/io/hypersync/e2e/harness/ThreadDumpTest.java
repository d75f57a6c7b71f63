package io.hypersync.e2e.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a failure tells of the threads of daemons. */
class ThreadDumpTest {
  private static final String DUMP =
      """
      2026-01-02T03:04:05.678Z INFO  main  SomeDaemon: said before
      Full thread dump OpenJDK 64-Bit Server VM:

      "main" #1 prio=5 waiting on condition
      \tat java.lang.Thread.sleep0(java.base/Native Method)
      \tat io.hypersync.worker.daemon.WorkerRuntime.join(WorkerRuntime.java:390)

      "Reference Handler" #9 daemon prio=10 waiting on condition
      \tat java.lang.ref.Reference.waitForReferencePendingList(java.base/Native Method)

      JNI global refs: 77, weak refs: 1
      """;

  @Test
  void threadsOfThisProgramAreTold() {
    String told = ThreadDump.relevant(DUMP);
    assertTrue(told.contains("WorkerRuntime.join"), told);
    assertFalse(told.contains("Reference Handler"), told);
    assertFalse(told.contains("said before"), told);
  }

  @Test
  void ofADeepStackTheTopIsTold() {
    String frames = "\tat io.hypersync.Deep.called(Deep.java:1)\n".repeat(500);
    String told = ThreadDump.relevant("Full thread dump of a JVM:\n\n\"deep\"\n" + frames);
    assertEquals(25, told.strip().lines().count(), told);
  }

  @Test
  void aJvmIsToldToWriteOne(@TempDir Path folder) throws Exception {
    Path output = folder.resolve("log");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Sleeper.class.getName());
    Process jvm =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
            .start();
    try {
      Await.until("it runs", () -> Files.readString(output).contains(Sleeper.READY));
      String told = ThreadDump.of(jvm.pid(), output);
      assertTrue(told.contains("ThreadDumpTest$Sleeper.main"), told);
      assertFalse(told.contains(Sleeper.READY), told);
    } finally {
      jvm.destroyForcibly().waitFor();
    }
  }

  /** A JVM that has a thread of this program, and does nothing. */
  static final class Sleeper {
    private static final String READY = "it sleeps now";

    private Sleeper() {}

    /** Until it is killed. */
    public static void main(String[] args) throws InterruptedException {
      System.out.println(READY);
      Thread.sleep(Long.MAX_VALUE);
    }
  }
}
