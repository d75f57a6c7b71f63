package io.hypersync.e2e.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Directories;
import io.hypersync.e2e.harness.Errnos;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Writers on mounts whose workers are killed and started again, and whose leader is, too. Each has
 * a directory of its own, in which it makes and removes directories and creates, overwrites,
 * appends and syncs, renames, renames over and unlinks files. It keeps what was acknowledged
 * (hypersync.md 0.1.2).
 *
 * <p>Of a call whose end is not known, because its worker was killed or it ended with EIO, either
 * outcome is allowed, but no third one. Its files are not used any more.
 *
 * <p>The load can be stopped and started again; {@link #check} may be called only while it is
 * stopped.
 */
public final class MortalLoad implements AutoCloseable {
  private static final int MAX_FILES = 24;
  private static final int MAX_DIRECTORIES = 4;
  private static final int PAGE_BYTES = 4096;
  private static final int MAX_PAGES = 16;
  private static final int MAX_APPEND_BYTES = 3_000;

  /** Several chunks, in one request of the kernel. */
  private static final int MAX_LARGE_BYTES = 100_000;

  private static final int REFUSED_PAUSE_MS = 5;

  /** Writes are not so many that nothing else has a processor. */
  private static final int PAUSE_MS = 4;

  private final Map<Path, Life> lives = new HashMap<>();
  private final List<Writer> writers = new ArrayList<>();
  private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopping;

  /**
   * Creates the directories.
   *
   * @param writers on each mount
   * @param seed determines the calls of the writers
   */
  public MortalLoad(List<Path> mounts, int writers, long seed) throws IOException {
    for (Path mount : mounts) {
      Life life = new Life();
      lives.put(mount, life);
      for (int i = 0; i < writers; i++) {
        String name = "writer-" + this.writers.size();
        Random random = new Random(seed + this.writers.size());
        this.writers.add(new Writer(Files.createDirectory(mount.resolve(name)), life, random));
      }
    }
  }

  /** Whether the worker of a mount is there. */
  private static final class Life {
    private boolean isKilled;
    private int number;

    synchronized int number() {
      return number;
    }

    synchronized void end() {
      isKilled = true;
    }

    synchronized void begin() {
      isKilled = false;
      number++;
      notifyAll();
    }

    /** Whether calls that began in this life may have met a worker that was killed. */
    synchronized boolean isOver(int which) {
      return isKilled || which != number;
    }

    /** Waits until a worker is there that is not this one, which may still live. */
    synchronized void awaitNext(int which) throws InterruptedException {
      long deadlineNs = System.nanoTime() + 3 * Await.LIMIT.toNanos();
      while (isKilled && which == number) {
        wait(1_000);
        if (System.nanoTime() - deadlineNs > 0) {
          throw new AssertionError("its worker does not come back");
        }
      }
    }
  }

  /** To be called before the worker of this mount is killed. */
  public void killed(Path mount) {
    life(mount).end();
  }

  /** To be called when the mount is there again. */
  public void started(Path mount) {
    life(mount).begin();
  }

  private Life life(Path mount) {
    Life life = lives.get(mount);
    if (life == null) {
      throw new IllegalArgumentException(mount.toString());
    }
    return life;
  }

  /** Starts the writers, for the first time or again. */
  public void start() {
    stopping = false;
    for (Writer writer : writers) {
      threads.add(Thread.ofPlatform().name("mortal-load").start(() -> run(writer)));
    }
  }

  /** Stops the writers, and waits until their present calls have ended. */
  public void stop() throws InterruptedException {
    stopping = true;
    for (Thread thread : threads) {
      thread.join(Await.LIMIT);
      if (thread.isAlive()) {
        throw new AssertionError("a call hangs: " + List.of(thread.getStackTrace()));
      }
    }
    threads.clear();
  }

  /** Waits until this many more calls are acknowledged. */
  public void awaitProgress(int more) throws InterruptedException {
    long goal = acknowledged.get() + more;
    Await.until(
        more + " more acknowledged calls",
        () -> acknowledged.get() >= goal || !surprises.isEmpty());
    assertNoSurprise();
  }

  /** Fails if a call has ended as none may. */
  public void assertNoSurprise() {
    Throwable first = surprises.peek();
    if (first != null) {
      throw new AssertionError("a call has ended as none may", first);
    }
  }

  /** Fails unless a mount that has caught up shows exactly the expected content. */
  public void check(Path mount) throws IOException {
    assertNoSurprise();
    for (Writer writer : writers) {
      writer.check(mount.resolve(writer.folder.getFileName()));
    }
  }

  /** Lets writers make no further calls. */
  @Override
  public void close() {
    stopping = true;
    lives.values().forEach(Life::begin);
  }

  @Override
  public String toString() {
    return "%d calls acknowledged, %d refused, %d of unknown end"
        .formatted(acknowledged.get(), refused.get(), unknown.get());
  }

  private void run(Writer writer) {
    try {
      while (!stopping) {
        writer.step();
        Thread.sleep(PAUSE_MS);
      }
    } catch (Exception | Error failure) {
      surprises.add(failure);
    }
  }

  /** A call, which says itself when it was acknowledged: what comes after it is not the call. */
  @FunctionalInterface
  private interface Mutation {
    void run(Runnable acknowledge) throws IOException;
  }

  /** A writer's directory and its expected content; {@code d1/} is a directory. */
  private final class Writer {
    private final Path folder;
    private final Life life;
    private final Random random;
    private final TreeMap<String, byte[]> files = new TreeMap<>();

    /** What a name may be of which nobody knows; null stands for no file. */
    private final TreeMap<String, List<byte @Nullable []>> doubtful = new TreeMap<>();

    private final TreeSet<String> directories = new TreeSet<>();
    private final TreeSet<String> doubtfulDirectories = new TreeSet<>();
    private int made;

    Writer(Path folder, Life life, Random random) {
      this.folder = folder;
      this.life = life;
      this.random = random;
    }

    void step() throws InterruptedException {
      int choice = random.nextInt(100);
      if (files.isEmpty() || (choice < 15 && files.size() < MAX_FILES)) {
        create();
      } else if (choice < 45) {
        byte[] page = bytes(PAGE_BYTES);
        write(any(), page, (long) random.nextInt(MAX_PAGES) * PAGE_BYTES);
      } else if (choice < 65) {
        append(any(), bytes(1 + random.nextInt(MAX_APPEND_BYTES)));
      } else if (choice < 75) {
        write(any(), bytes(1 + random.nextInt(MAX_LARGE_BYTES)), 0);
      } else if (choice < 80) {
        rename(any(), newName());
      } else if (choice < 87) {
        rename(any(), any());
      } else if (choice < 94) {
        unlink(any());
      } else if (choice < 97 && directories.size() < MAX_DIRECTORIES) {
        makeDirectory();
      } else {
        removeDirectory();
      }
    }

    private void create() throws InterruptedException {
      String name = newName();
      attempt(
          changes(name, new byte[0]),
          acknowledge -> {
            Files.createFile(folder.resolve(name));
            acknowledge.run();
          });
    }

    private void write(String name, byte[] bytes, long offset) throws InterruptedException {
      byte[] before = content(name);
      byte[] after = Arrays.copyOf(before, Math.max(before.length, (int) offset + bytes.length));
      System.arraycopy(bytes, 0, after, (int) offset, bytes.length);
      attempt(
          changes(name, after),
          acknowledge -> {
            try (FileChannel file =
                FileChannel.open(folder.resolve(name), StandardOpenOption.WRITE)) {
              assertEquals(
                  bytes.length, file.write(ByteBuffer.wrap(bytes), offset), "a short write");
              acknowledge.run();
            }
          });
    }

    private void append(String name, byte[] bytes) throws InterruptedException {
      byte[] before = content(name);
      byte[] after = Arrays.copyOf(before, before.length + bytes.length);
      System.arraycopy(bytes, 0, after, before.length, bytes.length);
      attempt(
          changes(name, after),
          acknowledge -> {
            try (FileChannel file =
                FileChannel.open(folder.resolve(name), StandardOpenOption.APPEND)) {
              assertEquals(bytes.length, file.write(ByteBuffer.wrap(bytes)), "a short write");
              acknowledge.run();
              file.force(true);
            }
          });
    }

    private void rename(String name, String newName) throws InterruptedException {
      if (name.equals(newName)) {
        return;
      }
      Map<String, byte @Nullable []> changes = changes(name, null);
      changes.put(newName, content(name));
      attempt(
          changes,
          acknowledge -> {
            Directories.replace(folder.resolve(name), folder.resolve(newName));
            acknowledge.run();
          });
    }

    private void unlink(String name) throws InterruptedException {
      attempt(
          changes(name, null),
          acknowledge -> {
            Files.delete(folder.resolve(name));
            acknowledge.run();
          });
    }

    private void makeDirectory() throws InterruptedException {
      String name = "d" + made++ + "/";
      Ending ending =
          attempt(
              new HashMap<>(),
              acknowledge -> {
                Files.createDirectory(folder.resolve(name));
                acknowledge.run();
              });
      switch (ending) {
        case DONE -> directories.add(name);
        case REFUSED -> {}
        case UNKNOWN -> doubtfulDirectories.add(name);
      }
    }

    /** Removes one in which there is nothing. */
    private void removeDirectory() throws InterruptedException {
      for (String name : List.copyOf(directories)) {
        if (isUnused(name)) {
          Ending ending =
              attempt(
                  new HashMap<>(),
                  acknowledge -> {
                    Files.delete(folder.resolve(name));
                    acknowledge.run();
                  });
          if (ending != Ending.REFUSED) {
            directories.remove(name);
          }
          if (ending == Ending.UNKNOWN) {
            doubtfulDirectories.add(name);
          }
          return;
        }
      }
    }

    private boolean isUnused(String directory) {
      return files.keySet().stream().noneMatch(name -> name.startsWith(directory))
          && doubtful.keySet().stream().noneMatch(name -> name.startsWith(directory));
    }

    private static Map<String, byte @Nullable []> changes(String name, byte @Nullable [] content) {
      Map<String, byte @Nullable []> changes = new HashMap<>();
      changes.put(name, content);
      return changes;
    }

    /** Makes a call that changes these files, all of them or none. */
    private Ending attempt(Map<String, byte @Nullable []> changes, Mutation call)
        throws InterruptedException {
      int lived = life.number();
      boolean[] isDone = {false};
      String errno = Errnos.of(() -> call.run(() -> isDone[0] = true));
      boolean mayBeKilled = life.isOver(lived);
      if (!errno.equals(Errnos.NONE)
          && !errno.equals("EROFS")
          && !errno.equals("EIO")
          && !mayBeKilled) {
        throw new AssertionError(folder + ": " + changes.keySet() + " ended with " + errno);
      }
      Ending ending = Ending.UNKNOWN;
      if (isDone[0]) {
        ending = Ending.DONE;
      } else if (errno.equals("EROFS")) {
        ending = Ending.REFUSED;
      }
      switch (ending) {
        case DONE -> {
          changes.forEach(this::is);
          acknowledged.incrementAndGet();
        }
        case REFUSED -> {
          refused.incrementAndGet();
          Thread.sleep(REFUSED_PAUSE_MS);
        }
        case UNKNOWN -> {
          unknown.incrementAndGet();
          changes.forEach(this::mayBe);
        }
      }
      if (mayBeKilled && !errno.equals(Errnos.NONE)) {
        life.awaitNext(lived);
      }
      return ending;
    }

    private void is(String name, byte @Nullable [] content) {
      if (content == null) {
        files.remove(name);
      } else {
        files.put(name, content);
      }
    }

    private void mayBe(String name, byte @Nullable [] content) {
      List<byte @Nullable []> either = new ArrayList<>();
      either.add(files.remove(name));
      either.add(content);
      doubtful.put(name, either);
    }

    void check(Path there) throws IOException {
      Set<String> names = new TreeSet<>(names(there, ""));
      for (String directory : directories) {
        assertTrue(Files.isDirectory(there.resolve(directory)), there + "/" + directory);
        names.addAll(names(there, directory));
      }
      Set<String> expected = new TreeSet<>(files.keySet());
      expected.addAll(directories);
      Set<String> allowed = new HashSet<>(doubtful.keySet());
      allowed.addAll(doubtfulDirectories);
      names.removeAll(allowed);
      assertEquals(expected, names, "names in " + there);
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        assertArrayEquals(
            file.getValue(),
            Files.readAllBytes(there.resolve(file.getKey())),
            () -> "content of " + file.getKey() + " in " + there);
      }
      for (Map.Entry<String, List<byte @Nullable []>> file : doubtful.entrySet()) {
        Path path = there.resolve(file.getKey());
        byte[] found = Files.exists(path) ? Files.readAllBytes(path) : null;
        assertTrue(
            file.getValue().stream().anyMatch(each -> Arrays.equals(each, found)),
            () -> path + " is neither what it was nor what it was to be");
      }
    }

    private static List<String> names(Path there, String directory) throws IOException {
      List<String> names = new ArrayList<>();
      for (String name : Directories.names(there.resolve(directory))) {
        String path = directory + name;
        names.add(Files.isDirectory(there.resolve(path)) ? path + "/" : path);
      }
      return names;
    }

    private byte[] content(String name) {
      return files.getOrDefault(name, new byte[0]);
    }

    private String newName() {
      String in = "";
      if (!directories.isEmpty() && random.nextInt(3) == 0) {
        in = List.copyOf(directories).get(random.nextInt(directories.size()));
      }
      return in + "f" + made++;
    }

    private String any() {
      return List.copyOf(files.keySet()).get(random.nextInt(files.size()));
    }

    private byte[] bytes(int length) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      return bytes;
    }
  }

  /** What the caller knows after a call. */
  private enum Ending {
    DONE,
    REFUSED,
    UNKNOWN
  }
}
