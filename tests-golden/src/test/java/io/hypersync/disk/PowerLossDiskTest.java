package io.hypersync.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.hypersync.worker.fuse.abi.FuseOpcode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the disk keeps and loses, tested through real system calls, because other tests rely on this
 * disk. Needs root and /dev/fuse, and fails without them.
 */
@Timeout(60)
@Tag("mount")
class PowerLossDiskTest {
  private static final int PAGE_BYTES = 4096;
  private static final int SECTOR_BYTES = 512;
  private static final int LIMIT_S = 30;
  private static final String NEW = "new";
  private static final String OLD = "old";

  @TempDir Path temp;

  /** Calls between the last moment at which everything is durable and the power cut. */
  @FunctionalInterface
  interface Calls {
    /** Makes the calls in the root directory of the disk. */
    void on(Path disk) throws IOException;
  }

  @ParameterizedTest(name = "{0}: strict {1}, journaled {2}")
  @MethodSource("rows")
  void whatASyncCovers(Calls calls, String strict, String journaled) throws Exception {
    assertEquals(strict, afterPowerCut(Naming.STRICT, calls), "strict");
    assertEquals(journaled, afterPowerCut(Naming.JOURNALED, calls), "journaled");
  }

  static Stream<Arguments> rows() {
    String before = "{file=old}";
    return Stream.of(
        row("write", write(), before, before),
        row("write, fdatasync", sync(false, write()), "{file=new}", "{file=new}"),
        row("write, fsync", sync(true, write()), "{file=new}", "{file=new}"),
        row("O_DSYNC", write(StandardOpenOption.DSYNC), "{file=new}", "{file=new}"),
        row("O_SYNC", write(StandardOpenOption.SYNC), "{file=new}", "{file=new}"),
        row("O_DIRECT", direct("direct"), before, before),
        row("O_DIRECT and O_DSYNC", direct("direct,dsync"), "{file=new}", "{file=new}"),
        row("store to a mapping", store(false), before, before),
        row("store to a mapping, msync", store(true), "{file=new}", "{file=new}"),
        row("truncate", disk -> truncate(disk, false), before, before),
        row("truncate, fsync", disk -> truncate(disk, true), "{file=}", "{file=}"),
        row("create", disk -> create(disk, false), before, before),
        row("create, fsync", disk -> create(disk, true), before, "{file=old, other=new}"),
        row(
            "create, fsync, fsync of the directory",
            syncRoot(disk -> create(disk, true)),
            "{file=old, other=new}",
            "{file=old, other=new}"),
        row(
            "create, fsync of the directory",
            syncRoot(disk -> create(disk, false)),
            "{file=old, other=}",
            "{file=old, other=}"),
        row("rename", PowerLossDiskTest::rename, before, before),
        row(
            "rename, fsync of the directory",
            syncRoot(PowerLossDiskTest::rename),
            "{other=old}",
            "{other=old}"),
        row(
            "create, fsync, rename over, fsync of the directory",
            syncRoot(PowerLossDiskTest::replace),
            "{file=new}",
            "{file=new}"),
        row("unlink", disk -> Files.delete(disk.resolve("file")), before, before),
        row(
            "unlink, fsync of the directory",
            syncRoot(disk -> Files.delete(disk.resolve("file"))),
            "{}",
            "{}"),
        row(
            "a second name, fsync of the directory",
            syncRoot(disk -> Files.createLink(disk.resolve("second"), disk.resolve("file"))),
            "{file=old, second=old}",
            "{file=old, second=old}"),
        row(
            "a file in a new directory, both synced, the root not",
            disk -> {
              Path folder = Files.createDirectory(disk.resolve("d"));
              create(folder, true);
              syncDirectory(folder);
            },
            before,
            "{d/other=new, file=old}"),
        row(
            "moved from one directory to another, that one synced",
            disk -> {
              Path folder = Files.createDirectory(disk.resolve("d"));
              syncDirectory(disk);
              Files.move(disk.resolve("file"), folder.resolve("file"));
              syncDirectory(folder);
            },
            "{d/file=old}",
            "{d/file=old}"));
  }

  private static Arguments row(String name, Calls calls, String strict, String journaled) {
    return arguments(Named.of(name, calls), strict, journaled);
  }

  @ParameterizedTest
  @EnumSource(Naming.class)
  void aDiskThatLiesForgetsWhatWasSynced(Naming naming) throws Exception {
    Calls synced = syncRoot(disk -> create(disk, true));
    assertEquals(
        "{file=old, other=}", afterPowerCut(naming, synced, Lie.FILE_SYNCS), "the content");
    assertEquals(
        naming == Naming.STRICT ? "{file=old}" : "{file=old, other=new}",
        afterPowerCut(naming, synced, Lie.DIRECTORY_SYNCS),
        "the name");
  }

  /** Every sector is either old or new, and repeated cuts give whole and torn writes. */
  @Test
  void whatWasNotSyncedIsTornAtSectors() throws Exception {
    byte[] old = filled(8 * SECTOR_BYTES, 'o');
    byte[] young = filled(8 * SECTOR_BYTES, 'n');
    int wholes = 0;
    int torn = 0;
    Random random = new Random(3);
    for (int i = 0; i < 60; i++) {
      FileBytes content = new FileBytes();
      content.write(0, old);
      FileChange.Write write = new FileChange.Write(0, young);
      write.tear(content, random);
      byte[] left = content.read(0, old.length);
      for (int at = 0; at < left.length; at += SECTOR_BYTES) {
        byte[] sector = Arrays.copyOfRange(left, at, at + SECTOR_BYTES);
        assertArrayEquals(filled(SECTOR_BYTES, (char) sector[0]), sector, "sector at " + at);
      }
      boolean whole = Arrays.equals(left, old) || Arrays.equals(left, young);
      wholes += whole ? 1 : 0;
      torn += whole ? 0 : 1;
    }
    assertTrue(torn > 30 && wholes > 0, torn + " torn, " + wholes + " whole");
  }

  @Test
  void aDiskThatFailsTakesNothingAndComesBack() throws Exception {
    Path point = Files.createDirectory(temp.toRealPath().resolve("disk"));
    try (PowerLossDisk disk = PowerLossDisk.mount(point, Naming.STRICT)) {
      prepare(point);
      disk.fail();
      assertThrows(IOException.class, () -> sync(true, write()).on(point));
      assertThrows(IOException.class, () -> Files.createFile(point.resolve("other")));
      disk.cutPower(new Random(1), 1);
      assertEquals("{file=old}", content(point));
      sync(true, write()).on(point);
      assertTrue(disk.requests(FuseOpcode.FSYNC) > 0, "the kernel sends FSYNC");
    }
  }

  private String afterPowerCut(Naming naming, Calls calls, Lie... lies) throws Exception {
    Path point = Files.createTempDirectory(temp.toRealPath(), "disk");
    try (PowerLossDisk disk = PowerLossDisk.mount(point, naming)) {
      disk.lie(lies);
      prepare(point);
      disk.cutPower(new Random(1), 1); // makes it durable even if the disk ignores syncs
      calls.on(point);
      disk.cutPower(new Random(1), 0);
      return content(point);
    }
  }

  private static void prepare(Path disk) throws IOException {
    Files.write(disk.resolve("file"), page(OLD));
  }

  /** All files with their contents, without NUL bytes. */
  private static String content(Path disk) throws IOException {
    TreeMap<String, String> found = new TreeMap<>();
    try (Stream<Path> all = Files.walk(disk)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        String text = new String(Files.readAllBytes(file), StandardCharsets.US_ASCII);
        found.put(disk.relativize(file).toString(), text.replace("\0", ""));
      }
    }
    return found.toString();
  }

  private static Calls write(OpenOption... options) {
    List<OpenOption> all = new ArrayList<>(List.of(options));
    all.add(StandardOpenOption.WRITE);
    return disk -> {
      try (FileChannel file =
          FileChannel.open(disk.resolve("file"), all.toArray(new OpenOption[0]))) {
        ByteBuffer aligned = ByteBuffer.allocateDirect(2 * PAGE_BYTES).alignedSlice(PAGE_BYTES);
        file.write(aligned.slice(0, PAGE_BYTES).put(page(NEW)).flip());
      }
    };
  }

  /** Writes with O_DIRECT by dd, as the JDK has only a non-public option for it. */
  private static Calls direct(String flags) {
    return disk ->
        withNewPage(
            source ->
                run(
                    "dd",
                    "if=" + source,
                    "of=" + disk.resolve("file"),
                    "bs=" + PAGE_BYTES,
                    "oflag=" + flags,
                    "conv=notrunc",
                    "status=none"));
  }

  private static Calls sync(boolean attributesToo, Calls first) {
    return disk -> {
      first.on(disk);
      try (FileChannel file = FileChannel.open(disk.resolve("file"), StandardOpenOption.WRITE)) {
        file.force(attributesToo);
      }
    };
  }

  /**
   * Stores to a mapping, in a separate process. A process that unmaps a dirty page waits until it
   * is written to disk, and meanwhile none of its threads can map or unmap memory. If the same
   * process serves the disk, which sometimes needs to do so, it deadlocks.
   */
  private static Calls store(boolean synced) {
    String program =
        """
        import mmap, sys
        source, target, synced = sys.argv[1:]
        with open(source, "rb") as page, open(target, "r+b") as file:
            mapped = mmap.mmap(file.fileno(), %d)
            mapped[:] = page.read()
            if synced == "true":
                mapped.flush()
            mapped.close()
        """
            .formatted(PAGE_BYTES);
    return disk ->
        withNewPage(
            source ->
                run(
                    "python3",
                    "-c",
                    program,
                    source.toString(),
                    disk.resolve("file").toString(),
                    Boolean.toString(synced)));
  }

  /** Runs calls with a file outside the disk that has the new content. */
  private static void withNewPage(Calls calls) throws IOException {
    Path source = Files.createTempFile("page", "");
    try {
      Files.write(source, page(NEW));
      calls.on(source);
    } finally {
      Files.delete(source);
    }
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    try {
      assertTrue(process.waitFor(LIMIT_S, TimeUnit.SECONDS), command[0] + " does not end");
      assertEquals(0, process.exitValue(), command[0]);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      process.destroyForcibly();
    }
  }

  private static Calls syncRoot(Calls first) {
    return disk -> {
      first.on(disk);
      syncDirectory(disk);
    };
  }

  private static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static void truncate(Path disk, boolean synced) throws IOException {
    try (FileChannel file = FileChannel.open(disk.resolve("file"), StandardOpenOption.WRITE)) {
      file.truncate(0);
      if (synced) {
        file.force(true);
      }
    }
  }

  private static void create(Path folder, boolean synced) throws IOException {
    try (FileChannel file =
        FileChannel.open(
            folder.resolve("other"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(page(NEW)));
      if (synced) {
        file.force(true);
      }
    }
  }

  private static void rename(Path disk) throws IOException {
    Files.move(disk.resolve("file"), disk.resolve("other"));
  }

  private static void replace(Path disk) throws IOException {
    create(disk, true);
    Files.move(disk.resolve("other"), disk.resolve("file"), StandardCopyOption.ATOMIC_MOVE);
  }

  private static byte[] page(String text) {
    return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), PAGE_BYTES);
  }

  private static byte[] filled(int length, char value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }
}
