package io.hypersync.worker.fuse.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.dev.FuseMount;
import io.hypersync.worker.fuse.dev.FuseMountOptions;
import io.hypersync.worker.fuse.dev.MountException;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A session on a real mount, used by the JDK and by ordinary tools. Needs root and /dev/fuse: fails
 * without them.
 */
@Timeout(60)
@Tag("mount")
class MountedSessionTest {
  private static final int MEBIBYTE = 1 << 20;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path temp;

  private Path point;
  private MemoryHandler files;
  private FuseSession session;

  @BeforeEach
  void mount() throws IOException {
    point = Files.createDirectory(temp.toRealPath().resolve("mnt"));
    start(0, FuseSessionOptions.defaults());
  }

  @AfterEach
  void unmount() throws Exception {
    session.close();
    while (isMounted()) {
      FuseMount.unmount(point);
    }
    assertTrue(session.awaitEnd(Duration.ofSeconds(10)).isPresent(), "readers end");
  }

  private void start(long ttlSeconds, FuseSessionOptions options) throws IOException {
    files = new MemoryHandler(ttlSeconds, TimeUnit.SECONDS);
    session =
        FuseSession.start(
            FuseMount.mount(point, FuseMountOptions.workspace("memory")), options, files);
  }

  @Test
  void whatIsWrittenCanBeReadAndListed() throws Exception {
    Files.writeString(point.resolve("hello.txt"), "hello\n");
    assertEquals("hello\n", files.content("hello.txt"));
    assertEquals("hello\n", Files.readString(point.resolve("hello.txt")));
    assertEquals(6, Files.size(point.resolve("hello.txt")));
    assertEquals(
        FileTime.from(Instant.ofEpochSecond(1_700_000_000, 123_456_789)),
        Files.getLastModifiedTime(point.resolve("hello.txt")));
    Files.writeString(point.resolve("hello.txt"), "hi\n");
    assertEquals("hi\n", files.content("hello.txt"), "O_TRUNC came with OPEN");
    try (var list = Files.list(point)) {
      assertEquals(List.of(point.resolve("hello.txt")), list.toList());
    }
    Files.delete(point.resolve("hello.txt"));
    assertThrows(NoSuchFileException.class, () -> Files.readString(point.resolve("hello.txt")));
    assertEquals(2000 * 2048L, Files.getFileStore(point).getTotalSpace());
  }

  @Test
  void ordinaryToolsWork() throws Exception {
    Path source = temp.resolve("source");
    byte[] content = new byte[3 * MEBIBYTE + 17];
    new Random(1).nextBytes(content);
    Files.write(source, content);
    assertEquals("", run("cp", source.toString(), point.resolve("copy").toString()));
    assertEquals("", run("cmp", source.toString(), point.resolve("copy").toString()));
    assertEquals("copy\n", run("ls", point.toString()));
    assertTrue(run("ls", "-l", point.toString()).contains(String.valueOf(content.length)));
    files.put("note", "remember\n");
    assertEquals("remember\n", run("cat", point.resolve("note").toString()));
    assertEquals("", run("rm", point.resolve("copy").toString()));
    assertEquals("note\n", run("ls", point.toString()));
  }

  @Test
  void aDirectoryOfThousandsIsListedWhole() throws Exception {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      names.add("a-file-with-a-name-%05d".formatted(i));
      files.put(names.getLast(), "");
    }
    assertEquals(String.join("\n", names) + "\n", run("ls", point.toString()));
    assertTrue(session.counters().requests().containsKey(FuseOpcode.READDIRPLUS));
  }

  @Test
  void anAnswerMayComeFromAnotherThreadLater() throws IOException {
    files.put("slow-file", "worth the wait");
    long before = System.nanoTime();
    assertEquals("worth the wait", Files.readString(point.resolve("slow-file")));
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before);
    assertTrue(millis >= MemoryHandler.SLOW_MILLIS, () -> "after " + millis + " ms");
  }

  @Test
  void slowAnswersDoNotHoldUpOthers() throws Exception {
    stop();
    start(0, FuseSessionOptions.defaults().withReaders(1));
    List<Thread> callers = new ArrayList<>();
    long before = System.nanoTime();
    for (int i = 0; i < 8; i++) {
      String name = "slow-" + i;
      files.put(name, name);
      callers.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      Files.readString(point.resolve(name));
                    } catch (IOException e) {
                      throw new IllegalStateException(e);
                    }
                  }));
    }
    for (Thread caller : callers) {
      caller.join();
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before);
    assertTrue(
        millis < 5L * MemoryHandler.SLOW_MILLIS, () -> "eight at once took " + millis + " ms");
  }

  @Test
  void aMebibyteArrivesAsOneRequest() throws Exception {
    assertEquals(MEBIBYTE, session.connection().maxWriteBytes());
    for (String name : List.of("buffered", "direct-file")) {
      Path file = point.resolve(name);
      run("dd", "if=/dev/urandom", "of=" + file, "bs=1M", "count=3", "status=none");
      assertEquals(List.of(MEBIBYTE, MEBIBYTE, MEBIBYTE), List.copyOf(files.writeSizes), name);
      files.writeSizes.clear();
    }
    byte[] content = Files.readAllBytes(point.resolve("direct-file"));
    assertEquals(3 * MEBIBYTE, content.length);
    Files.write(point.resolve("copy"), content);
    assertArrayEquals(content, Files.readAllBytes(point.resolve("copy")));
  }

  /** Such a buffer spans 257 pages; the limit is 256 where it cannot be raised. */
  @Test
  void aMebibyteOfDirectWriteFromAnUnalignedBufferArrivesWholeWhereTheLimitCanBeRaised()
      throws Exception {
    Path limit = Path.of("/proc/sys/fs/fuse/max_pages_limit");
    boolean raised =
        Files.exists(limit)
            && (Files.isWritable(limit) || Integer.parseInt(Files.readString(limit).strip()) > 256);
    ByteBuffer aligned = ByteBuffer.allocateDirect(MEBIBYTE + 8192).alignedSlice(4096);
    try (FileChannel file =
        FileChannel.open(
            point.resolve("direct-file"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      assertEquals(MEBIBYTE, file.write(aligned.slice(0, MEBIBYTE)));
      assertEquals(List.of(MEBIBYTE), List.copyOf(files.writeSizes));
      files.writeSizes.clear();
      assertEquals(MEBIBYTE, file.write(aligned.slice(16, MEBIBYTE)));
      assertEquals(
          raised ? List.of(MEBIBYTE) : List.of(MEBIBYTE - 16, 16), List.copyOf(files.writeSizes));
    }
  }

  @Test
  void aHandlerThatThrowsFailsTheCallAlone() throws IOException {
    files.put("broken-file", "x");
    FileSystemException failure =
        assertThrows(FileSystemException.class, () -> failingRead(point.resolve("broken-file")));
    assertTrue(String.valueOf(failure.getMessage()).contains("Input/output"), failure::toString);
    files.put("note", "fine");
    assertEquals("fine", Files.readString(point.resolve("note")));
  }

  private static void failingRead(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      in.readAllBytes();
    } catch (FileSystemException e) {
      throw e;
    } catch (IOException e) {
      throw new FileSystemException(file.toString(), null, e.getMessage());
    }
  }

  @Test
  void aSignalInterruptsTheRequest() throws Exception {
    files.put("stuck-file", "never");
    Process cat = new ProcessBuilder("cat", point.resolve("stuck-file").toString()).start();
    RequestId unique = files.stuckRequests.take();
    cat.destroy();
    assertEquals(unique, files.interrupts.take());
    assertTrue(cat.waitFor(10, TimeUnit.SECONDS), "the reader is gone");
    // The FLUSH of the dying process may be interrupted, too.
    assertTrue(session.counters().interrupts() >= 1, "counted");
  }

  @Test
  void closingAnswersWhoWaits() throws Exception {
    files.put("stuck-file", "never");
    Process cat =
        new ProcessBuilder("cat", point.resolve("stuck-file").toString())
            .redirectErrorStream(true)
            .start();
    files.stuckRequests.take();
    session.close();
    assertTrue(cat.waitFor(10, TimeUnit.SECONDS), "nobody hangs");
    String said = new String(cat.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(said.contains("Input/output error"), said);
    assertFalse(isMounted(), "unmounted");
  }

  @Test
  void closingUnmountsEvenWhereFilesAreOpen() throws Exception {
    files.put("note", "content");
    InputStream in = Files.newInputStream(point.resolve("note"));
    assertEquals('c', in.read());
    session.close();
    assertFalse(isMounted(), "unmounted");
    assertTrue(session.hasEnded(), "readers ended");
    assertThrows(IOException.class, in::close, "the kernel has nobody to flush to");
    try (var list = Files.list(point)) {
      assertEquals(0, list.count(), "the directory is empty again");
    }
    assertEquals(0, openDevices(), "descriptors are closed");
    start(0, FuseSessionOptions.defaults());
    files.put("note", "again");
    assertEquals("again", Files.readString(point.resolve("note")), "the place can be used again");
  }

  @Test
  void theSessionEndsWhenSomebodyElseUnmounts() throws Exception {
    run("umount", point.toString());
    assertTrue(session.awaitEnd(Duration.ofSeconds(10)).isPresent(), "readers end");
    session.close();
    assertEquals(0, openDevices(), "descriptors are closed");
  }

  @Test
  void aPlaceThatIsMountedOnIsBusy() {
    MountException busy =
        assertThrows(
            MountException.class,
            () -> FuseMount.mount(point, FuseMountOptions.workspace("second")));
    assertEquals(Errno.EBUSY, busy.errno());
    assertTrue(
        String.valueOf(busy.getMessage()).contains("fuse.hypersync (memory)"), busy::getMessage);
  }

  @Test
  void theKernelForgetsWhatItIsToldToForget() throws Exception {
    stop();
    start(3600, FuseSessionOptions.defaults());
    InodeNo node = files.put("note", "short");
    Path note = point.resolve("note");
    assertEquals(5, Files.size(note));
    files.put("note", "rather longer");
    assertEquals(5, Files.size(note), "cached for an hour");
    session.notifier().attributesOnly(node);
    assertEquals(13, Files.size(note));

    assertEquals("rather longer", Files.readString(note));
    files.put("note", "RATHER LONGER");
    session.notifier().invalidateInode(node, 0, 0);
    assertEquals("RATHER LONGER", Files.readString(note));

    files.remove("note");
    assertTrue(Files.exists(note), "the name is cached for an hour");
    session.notifier().invalidateEntry(InodeNo.ROOT, "note".getBytes(StandardCharsets.UTF_8));
    assertFalse(Files.exists(note));

    session.notifier().attributesOnly(new InodeNo(999));
    session.notifier().invalidateEntry(InodeNo.ROOT, "unheard-of".getBytes(StandardCharsets.UTF_8));
    assertEquals(3, session.counters().notifications(), "unknown ones do not count, or fail");
  }

  private void stop() throws IOException {
    session.close();
  }

  private boolean isMounted() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/mounts")).stream()
        .anyMatch(line -> line.contains(" " + point + " "));
  }

  private static long openDevices() throws IOException {
    try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors
          .filter(
              fd -> {
                try {
                  return Files.readSymbolicLink(fd).toString().equals("/dev/fuse");
                } catch (IOException e) {
                  return false; // closed in the meantime
                }
              })
          .count();
    }
  }

  private static String run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(20, TimeUnit.SECONDS), "still running");
    assertEquals(0, process.exitValue(), () -> String.join(" ", command) + ": " + output);
    return output;
  }
}
