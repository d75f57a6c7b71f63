package io.hypersync.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Appends to one journal and creates files, on several mounts, until it is stopped; remembers what
 * each call was answered. Then it can say whether a mount holds what it must (hypersync.md 0.1.2):
 * what was acknowledged is there once, what was refused with EROFS is not there, and what ended
 * with EIO or not at all is there once or not at all.
 */
final class WriteLoad implements AutoCloseable {
  private static final String JOURNAL = "journal";
  private static final String FOLDER = "created";
  private static final int PAUSE_MS = 5;

  private final Set<String> acknowledgedRecords = ConcurrentHashMap.newKeySet();
  private final Set<String> acknowledgedFiles = ConcurrentHashMap.newKeySet();
  private final Set<String> acknowledgedContents = ConcurrentHashMap.newKeySet();
  private final Set<String> refused = ConcurrentHashMap.newKeySet();
  private final Set<String> unknown = ConcurrentHashMap.newKeySet();
  private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();
  private final AtomicInteger calls = new AtomicInteger();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  private WriteLoad() {}

  /** Makes the journal and the folder; on one mount, before {@link #start}. */
  static void prepare(Path mount) throws Exception {
    Await.until("the folder", () -> Files.createDirectories(mount.resolve(FOLDER)) != null);
    Await.until("the journal", () -> Files.createFile(mount.resolve(JOURNAL)) != null);
  }

  /** Starts two appenders and two creators on each of these. */
  static WriteLoad start(List<Path> mounts) {
    WriteLoad load = new WriteLoad();
    for (int m = 0; m < mounts.size(); m++) {
      Path mount = mounts.get(m);
      for (int i = 0; i < 2; i++) {
        String name = "m" + m + "t" + i;
        load.threads.add(
            Thread.ofPlatform().name("append-" + name).start(() -> load.append(mount, name)));
        load.threads.add(
            Thread.ofPlatform().name("create-" + name).start(() -> load.create(mount, name)));
      }
    }
    return load;
  }

  /** How many mutations were acknowledged by now. */
  int acknowledged() {
    return acknowledgedRecords.size() + acknowledgedFiles.size() + acknowledgedContents.size();
  }

  /** How many mutations ended without telling whether they happened. */
  int unknown() {
    return unknown.size();
  }

  /** How many mutations were refused with EROFS. */
  int refused() {
    return refused.size();
  }

  /** Until that many more are acknowledged. */
  void awaitProgress(int more) throws InterruptedException {
    int goal = acknowledged() + more;
    Await.until(more + " more acknowledged mutations", () -> acknowledged() >= goal);
  }

  /** Lets what is under way end, and starts no more. */
  @Override
  public void close() {
    stopped = true;
    for (Thread thread : threads) {
      try {
        thread.join(Await.LIMIT);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Fails unless a mount that has caught up holds exactly what it must. */
  void check(Path mount) throws IOException {
    assertEquals(List.of(), List.copyOf(surprises), "calls that ended as none may");
    for (Thread thread : threads) {
      assertTrue(!thread.isAlive(), () -> thread.getName() + " hangs");
    }
    List<String> records = Files.readAllLines(mount.resolve(JOURNAL));
    check("journal on " + mount, records, acknowledgedRecords);
    List<String> files = Shelves.names(mount.resolve(FOLDER));
    check("files on " + mount, files, acknowledgedFiles);
    for (String file : files) {
      String content = Files.readString(mount.resolve(FOLDER).resolve(file));
      if (acknowledgedContents.contains(file) || !content.isEmpty()) {
        assertEquals(file, content, "content of " + file + " on " + mount);
      }
    }
  }

  private void check(String where, List<String> found, Set<String> acknowledged) {
    Set<String> distinct = new HashSet<>(found);
    assertEquals(found.size(), distinct.size(), where + ": something is there twice");
    Set<String> lost = new HashSet<>(acknowledged);
    lost.removeAll(distinct);
    assertEquals(Set.of(), lost, where + ": acknowledged, and lost");
    Set<String> extra = new HashSet<>(distinct);
    extra.removeAll(acknowledged);
    extra.removeAll(unknown);
    assertEquals(Set.of(), extra, where + ": there, though never acknowledged");
  }

  @Override
  public String toString() {
    return "%d calls: %d records and %d files acknowledged, %d refused, %d unknown"
        .formatted(
            calls.get(),
            acknowledgedRecords.size(),
            acknowledgedFiles.size(),
            refused.size(),
            unknown.size());
  }

  private void append(Path mount, String name) {
    try (FileChannel journal =
        FileChannel.open(mount.resolve(JOURNAL), StandardOpenOption.APPEND)) {
      for (int i = 0; !stopped; i++) {
        String record = name + "-" + i + (i % 50 == 49 ? "-" + "x".repeat(20_000) : "");
        ByteBuffer bytes = ByteBuffer.wrap((record + "\n").getBytes(StandardCharsets.UTF_8));
        attempt(
            record,
            acknowledgedRecords,
            () -> {
              int length = bytes.remaining();
              assertEquals(length, journal.write(bytes), "one write(2) takes a whole record");
            });
      }
    } catch (Exception | Error failure) {
      surprises.add(failure);
    }
  }

  private void create(Path mount, String name) {
    try {
      for (int i = 0; !stopped; i++) {
        String file = name + "-" + i;
        Path path = mount.resolve(FOLDER).resolve(file);
        if (attempt(file, acknowledgedFiles, () -> Files.createFile(path))) {
          attempt(
              file,
              acknowledgedContents,
              () -> Files.writeString(path, file, StandardOpenOption.WRITE));
        }
      }
    } catch (Exception | Error failure) {
      surprises.add(failure);
    }
  }

  private boolean attempt(String what, Set<String> acknowledged, Errnos.Call call)
      throws InterruptedException {
    calls.incrementAndGet();
    String errno = Errnos.of(call);
    switch (errno) {
      case Errnos.NONE -> acknowledged.add(what);
      case "EROFS" -> {
        refused.add(what);
        Thread.sleep(PAUSE_MS);
      }
      case "EIO" -> unknown.add(what);
      default -> surprises.add(new AssertionError(what + " ended with " + errno));
    }
    return errno.equals(Errnos.NONE);
  }
}
