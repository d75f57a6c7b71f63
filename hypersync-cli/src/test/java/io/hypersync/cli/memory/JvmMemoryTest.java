package io.hypersync.cli.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs in child processes with the JVM options of daemons. */
@Timeout(120)
@Tag("slow")
class JvmMemoryTest {
  private static final List<String> DAEMON =
      List.of(
          "-Xms64m",
          "-Xmx1g",
          "-XX:+UseG1GC",
          "-XX:MaxGCPauseMillis=10",
          "-XX:G1HeapRegionSize=2m",
          "-XX:-G1UseAdaptiveIHOP",
          "-XX:InitiatingHeapOccupancyPercent=80",
          "-XX:+ExplicitGCInvokesConcurrent",
          "-XX:MinHeapFreeRatio=40",
          "-XX:MaxHeapFreeRatio=60");

  @Test
  void aProcessThatHadMuchGivesMostOfItsRoomBack() throws Exception {
    List<String> said = run(DAEMON);
    long before = Long.parseLong(said.get(0));
    long after = Long.parseLong(said.get(1));
    assertTrue(before > 3L * Program.KEPT_BYTES, () -> "it had no room: " + said);
    assertTrue(after < before / 2, () -> "it kept too much: " + said);
    assertTrue(
        Long.parseLong(said.get(2)) < IdleMemory.MIN_ROOM_BYTES,
        () -> "it would not be done with it: " + said);
    assertEquals("5 10", said.get(3), "it takes none while it rests");
    assertEquals("40 60", said.get(4), "at work it takes as much as before");
    long allocated = Long.parseLong(said.get(5));
    assertTrue(allocated > Program.ALL_BYTES, () -> "what others allocate counts: " + said);
    assertTrue(
        allocated < Program.ALL_BYTES + Program.KEPT_BYTES,
        () -> "what giving back allocates does not: " + said);
  }

  @Test
  void whoWouldBeStoppedForItOrHasNoRoomAnywayIsLeftAlone() throws Exception {
    assertEquals(List.of("keeps it"), run(List.of("-XX:+UseSerialGC")));
    assertEquals(List.of("keeps it"), run(List.of("-XX:+UseG1GC")));
    assertEquals(
        List.of("keeps it"), run(List.of("-XX:+UseSerialGC", "-XX:+ExplicitGCInvokesConcurrent")));
    assertEquals(
        List.of("keeps it"),
        run(
            List.of(
                "-XX:+UseG1GC",
                "-XX:+ExplicitGCInvokesConcurrent",
                "-XX:MinHeapFreeRatio=0",
                "-XX:MaxHeapFreeRatio=4")));
  }

  private static List<String> run(List<String> options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Program.class.getName()));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    return said.lines().filter(line -> !line.contains("INFO")).toList();
  }

  /** Allocates much and keeps a part of it that is scattered over all regions. */
  static final class Program {
    static final int KEPT_BYTES = 64 << 20;
    static final int ALL_TIMES_KEPT = 6;
    static final long ALL_BYTES = (long) ALL_TIMES_KEPT * KEPT_BYTES;
    private static final int PIECE_BYTES = 1 << 10;

    private Program() {}

    public static void main(String[] args) throws InterruptedException {
      Optional<JvmMemory> found = JvmMemory.ofThisProcess();
      if (found.isEmpty()) {
        System.out.println("keeps it");
        return;
      }
      JvmMemory memory = found.get();
      long allocated = memory.allocatedBytes();
      List<byte[]> kept = new ArrayList<>();
      Thread other = new Thread(() -> kept.addAll(everyNth(all())));
      other.start();
      other.join();
      System.out.println(JvmMemory.committedBytes());
      memory.giveBack(() -> false);
      System.out.println(JvmMemory.committedBytes());
      System.out.println(memory.roomBytes());
      System.out.println(ratios());
      memory.takeRoom();
      System.out.println(ratios());
      System.out.println(memory.allocatedBytes() - allocated);
      System.exit(kept.size() == KEPT_BYTES / PIECE_BYTES ? 0 : 1);
    }

    private static List<byte[]> all() {
      List<byte[]> all = new ArrayList<>();
      for (int i = 0; i < ALL_TIMES_KEPT * (KEPT_BYTES / PIECE_BYTES); i++) {
        all.add(new byte[PIECE_BYTES]);
      }
      return all;
    }

    private static List<byte[]> everyNth(List<byte[]> all) {
      List<byte[]> kept = new ArrayList<>();
      for (int i = 0; i < all.size(); i += ALL_TIMES_KEPT) {
        kept.add(all.get(i));
      }
      return kept;
    }

    private static String ratios() {
      HotSpotDiagnosticMXBean options =
          ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
      return options.getVMOption("MinHeapFreeRatio").getValue()
          + " "
          + options.getVMOption("MaxHeapFreeRatio").getValue();
    }
  }
}
