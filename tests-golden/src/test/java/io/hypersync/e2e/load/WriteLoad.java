package io.hypersync.e2e.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Directories;
import io.hypersync.e2e.harness.Errnos;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Appends to one journal, creates files, and renames and removes others, on several mounts, until
 * it is stopped. It remembers the answer to each call, and can check a mount (hypersync.md 0.1.2):
 * what was acknowledged is present once, what was refused with EROFS is absent, and what ended with
 * EIO or with the death of its mount is present once or not at all.
 */
public final class WriteLoad implements AutoCloseable {
  private static final String JOURNAL = "journal";
  private static final String FOLDER = "created";
  private static final String RENAMED = "renamed";
  private static final int RENAMES = 5;
  private static final Duration AFTER_REFUSAL = Duration.ofMillis(5);

  private final Set<String> acknowledgedRecords = ConcurrentHashMap.newKeySet();
  private final Set<String> acknowledgedFiles = ConcurrentHashMap.newKeySet();
  private final Set<String> acknowledgedContents = ConcurrentHashMap.newKeySet();
  private final RenamedFiles renamedFiles = new RenamedFiles();
  private final AtomicInteger acknowledgedRenames = new AtomicInteger();
  private final Map<Path, Integer> acknowledgedByMount = new ConcurrentHashMap<>();
  private final Set<String> refused = ConcurrentHashMap.newKeySet();
  private final Set<String> unknown = ConcurrentHashMap.newKeySet();
  private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();
  private final Set<Call> underWay = ConcurrentHashMap.newKeySet();
  private final Set<Path> mortal = ConcurrentHashMap.newKeySet();
  private final Set<Path> dead = ConcurrentHashMap.newKeySet();
  private final AtomicInteger calls = new AtomicInteger();
  private final List<Thread> threads = new ArrayList<>();
  private final Duration pause;
  private volatile boolean stopped;

  /** A call and, once it has ended, its errno. */
  public static final class Call {
    private final Path mount;
    private final String what;
    private volatile @Nullable String errno;

    private Call(Path mount, String what) {
      this.mount = mount;
      this.what = what;
    }

    /** Whether the call has succeeded by now. */
    public boolean succeeded() {
      return Errnos.NONE.equals(errno);
    }

    @Override
    public String toString() {
      return what + ": " + (errno == null ? "under way" : errno);
    }
  }

  private WriteLoad(Duration pause) {
    this.pause = pause;
  }

  /** Creates the journal and the directories; to be called on one mount before {@link #start}. */
  public static void prepare(Path mount) throws Exception {
    for (String folder : List.of(FOLDER, RENAMED)) {
      Await.until("a folder", () -> Files.createDirectories(mount.resolve(folder)) != null);
    }
    Await.until("the journal", () -> Files.createFile(mount.resolve(JOURNAL)) != null);
  }

  /** Starts two appenders, two creators and one renamer on each of the mounts. */
  public static WriteLoad start(List<Path> mounts) {
    return start(mounts, Duration.ZERO);
  }

  /**
   * The same with pauses, for longer runs.
   *
   * @param pause between two calls of each thread
   */
  public static WriteLoad start(List<Path> mounts, Duration pause) {
    WriteLoad load = new WriteLoad(pause);
    for (int m = 0; m < mounts.size(); m++) {
      Path mount = mounts.get(m);
      String mover = "m" + m;
      load.threads.add(
          Thread.ofPlatform().name("rename-" + mover).start(() -> load.rename(mount, mover)));
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

  /** Number of mutations acknowledged so far. */
  public int acknowledged() {
    return acknowledgedRecords.size()
        + acknowledgedFiles.size()
        + acknowledgedContents.size()
        + acknowledgedRenames.get();
  }

  /** Number of mutations with unknown outcome. */
  public int unknown() {
    return unknown.size();
  }

  /** Number of mutations that were refused with EROFS. */
  public int refused() {
    return refused.size();
  }

  /** The calls in progress. */
  public List<Call> underWay() {
    return List.copyOf(underWay);
  }

  /** From now on the worker of this mount may die; its callers then stop without an error. */
  public void expectDeath(Path mount) {
    mortal.add(mount);
  }

  /** Waits until all calls on the dead mount have ended. */
  public void awaitDeath(Path mount) throws InterruptedException {
    Await.until(
        "calls on a dead mount end",
        () ->
            dead.contains(mount) && underWay.stream().noneMatch(call -> call.mount.equals(mount)));
  }

  /** Number of mutations acknowledged on this mount so far; each is one log entry. */
  public int acknowledgedOn(Path mount) {
    return acknowledgedByMount.getOrDefault(mount, 0);
  }

  /** Waits until this many more mutations are acknowledged. */
  public void awaitProgress(int more) throws InterruptedException {
    int goal = acknowledged() + more;
    Await.until(more + " more acknowledged mutations", () -> acknowledged() >= goal);
  }

  /** Makes no further calls, and waits for those in progress. */
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

  /** Fails unless a mount that has caught up has exactly the expected content. */
  public void check(Path mount) throws IOException {
    assertEquals(List.of(), List.copyOf(surprises), "calls that ended as none may");
    for (Thread thread : threads) {
      assertTrue(!thread.isAlive(), () -> thread.getName() + " hangs");
    }
    List<String> records = Files.readAllLines(mount.resolve(JOURNAL));
    check("journal on " + mount, records, acknowledgedRecords);
    List<String> files = Directories.names(mount.resolve(FOLDER));
    check("files on " + mount, files, acknowledgedFiles);
    for (String file : files) {
      String content = Files.readString(mount.resolve(FOLDER).resolve(file));
      String written = contentOf(file);
      if (acknowledgedContents.contains(written)) {
        assertEquals(file, content, written + " on " + mount);
      } else if (!content.isEmpty()) {
        assertTrue(unknown.contains(written), written + ", never acknowledged, on " + mount);
        assertEquals(file, content, written + " on " + mount);
      }
    }
    renamedFiles.check(mount.resolve(RENAMED));
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
    return "%d calls: %d records, %d files and %d renames acknowledged, %d refused, %d unknown"
        .formatted(
            calls.get(),
            acknowledgedRecords.size(),
            acknowledgedFiles.size(),
            acknowledgedRenames.get(),
            refused.size(),
            unknown.size());
  }

  private void append(Path mount, String name) {
    try (FileChannel journal =
        FileChannel.open(mount.resolve(JOURNAL), StandardOpenOption.APPEND)) {
      for (int i = 0; !isOver(mount); i++) {
        String record = name + "-" + i + (i % 50 == 49 ? "-" + "x".repeat(20_000) : "");
        ByteBuffer bytes = ByteBuffer.wrap((record + "\n").getBytes(StandardCharsets.UTF_8));
        Ending ending =
            attempt(
                mount,
                record,
                () -> {
                  int length = bytes.remaining();
                  assertEquals(length, journal.write(bytes), "one write(2) takes a whole record");
                });
        if (ending == Ending.DONE) {
          acknowledgedRecords.add(record);
        }
      }
    } catch (IOException failure) {
      if (!dead.contains(mount)) { // closing a file on a dead mount fails
        surprises.add(failure);
      }
    } catch (Exception | Error failure) {
      surprises.add(failure);
    }
  }

  private void create(Path mount, String name) {
    try {
      for (int i = 0; !isOver(mount); i++) {
        String file = name + "-" + i;
        Path path = mount.resolve(FOLDER).resolve(file);
        if (attempt(mount, file, () -> Files.createFile(path)) != Ending.DONE) {
          continue;
        }
        acknowledgedFiles.add(file);
        String written = contentOf(file);
        Errnos.Call write = () -> Files.writeString(path, file, StandardOpenOption.WRITE);
        if (attempt(mount, written, write) == Ending.DONE) {
          acknowledgedContents.add(written);
        }
      }
    } catch (Exception | Error failure) {
      surprises.add(failure);
    }
  }

  private void rename(Path mount, String name) {
    Path folder = mount.resolve(RENAMED);
    try {
      for (int i = 0; !isOver(mount); i++) {
        String file = name + "-" + i;
        Path first = folder.resolve(RenamedFiles.name(file, 0));
        switch (attempt(mount, first.toString(), () -> Files.createFile(first))) {
          case DONE -> {
            renamedFiles.is(file, 0);
            renameAndRemove(mount, folder, file);
          }
          case REFUSED -> renamedFiles.isAbsent(file);
          case UNKNOWN -> renamedFiles.isUnsure(file, 0);
        }
      }
    } catch (Exception | Error failure) {
      surprises.add(failure);
    }
  }

  /**
   * Renames and finally removes a file; stops early if its state is unknown or the load is over.
   */
  private void renameAndRemove(Path mount, Path folder, String file) throws InterruptedException {
    for (int step = 0; !isOver(mount); ) {
      int next = step + 1;
      Path from = folder.resolve(RenamedFiles.name(file, step));
      Path to = folder.resolve(RenamedFiles.name(file, next));
      boolean last = step == RENAMES;
      Errnos.Call call = last ? () -> Files.delete(from) : () -> Directories.replace(from, to);
      switch (attempt(mount, (last ? "remove " : "rename ") + from, call)) {
        case DONE -> {
          acknowledgedRenames.incrementAndGet();
          if (last) {
            renamedFiles.isAbsent(file);
            return;
          }
          renamedFiles.is(file, next);
          step = next;
        }
        case REFUSED -> {} // it keeps its name, and the call is repeated
        case UNKNOWN -> {
          renamedFiles.isUnsure(file, last ? step : next);
          return;
        }
      }
    }
  }

  private static String contentOf(String file) {
    return "content of " + file;
  }

  private boolean isOver(Path mount) {
    return stopped || dead.contains(mount);
  }

  private Ending attempt(Path mount, String what, Errnos.Call call) throws InterruptedException {
    calls.incrementAndGet();
    Call made = new Call(mount, what);
    underWay.add(made);
    String errno = Errnos.of(call);
    made.errno = errno;
    Ending ending = ending(mount, what, errno);
    underWay.remove(made);
    Thread.sleep(ending == Ending.REFUSED ? pause.plus(AFTER_REFUSAL) : pause);
    return ending;
  }

  private Ending ending(Path mount, String what, String errno) {
    return switch (errno) {
      case Errnos.NONE -> {
        acknowledgedByMount.merge(mount, 1, Integer::sum);
        yield Ending.DONE;
      }
      case "EROFS" -> {
        refused.add(what);
        yield Ending.REFUSED;
      }
      case "ENOTCONN", "ECONNABORTED" -> {
        dead.add(mount);
        if (!mortal.contains(mount)) {
          surprises.add(new AssertionError(what + " ended with " + errno));
        }
        unknown.add(what);
        yield Ending.UNKNOWN;
      }
      default -> {
        if (!errno.equals("EIO")) {
          surprises.add(new AssertionError(what + " ended with " + errno));
        }
        unknown.add(what);
        yield Ending.UNKNOWN;
      }
    };
  }

  /** What the caller knows after a call. */
  private enum Ending {
    DONE,
    REFUSED,
    UNKNOWN
  }
}
