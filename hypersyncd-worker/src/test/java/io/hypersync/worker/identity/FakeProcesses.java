package io.hypersync.worker.identity;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Processes and files in memory. */
final class FakeProcesses implements ProcessTable {
  /** The user of all processes, unless something else is said. */
  static final int USER = 1000;

  private final Map<Integer, Status> statuses = new HashMap<>();
  private final Map<Integer, byte[]> environments = new HashMap<>();
  private final Map<Integer, String> directories = new HashMap<>();
  private final Map<String, PlainFile> files = new HashMap<>();
  private final Map<Integer, FakeWatch> watched = new HashMap<>();

  /** Whether watches notice a call of exec. */
  boolean seesExec = true;

  /** Whether threads can be watched. */
  boolean canWatch = true;

  /** How often an environment was read. */
  int looks;

  /** How many watches are open. */
  int open;

  /** Runs while an environment is read. */
  Runnable duringLook = () -> {};

  final class FakeWatch implements Watch {
    private boolean unchanged = true;
    private boolean closed;

    @Override
    public boolean isUnchanged() {
      return unchanged && !closed;
    }

    @Override
    public boolean seesExec() {
      return seesExec;
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        open--;
      }
    }
  }

  /** A process whose environment is this, with a parent. */
  FakeProcesses process(int pid, int parent, String... variables) {
    return process(pid, parent, block(variables));
  }

  FakeProcesses process(int pid, int parent, byte[] environment) {
    ends(pid);
    statuses.put(pid, new Status(pid, parent, USER));
    environments.put(pid, environment);
    return this;
  }

  /** A further thread of a process. */
  FakeProcesses thread(int tid, int process) {
    Status leader = statuses.get(process);
    statuses.put(tid, new Status(process, leader == null ? 0 : leader.parent(), USER));
    return this;
  }

  /** The process calls exec with another environment; noticed only if watches see it. */
  void exec(int pid, String... variables) {
    environments.put(pid, block(variables));
    FakeWatch watch = watched.get(pid);
    if (watch != null && seesExec) {
      watch.unchanged = false;
    }
  }

  /** The process ends; its number may be used again. */
  void ends(int pid) {
    statuses.remove(pid);
    environments.remove(pid);
    FakeWatch watch = watched.remove(pid);
    if (watch != null) {
      watch.unchanged = false;
    }
  }

  FakeProcesses in(int pid, String directory) {
    directories.put(pid, directory);
    return this;
  }

  FakeProcesses file(String path, int owner, long mtimeS, String content) {
    files.put(path, new PlainFile(owner, mtimeS, content.getBytes(StandardCharsets.UTF_8)));
    return this;
  }

  static byte[] block(String... variables) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    for (String variable : variables) {
      block.writeBytes(variable.getBytes(StandardCharsets.UTF_8));
      block.write(0);
    }
    return block.toByteArray();
  }

  @Override
  public @Nullable Status status(int tid) {
    return statuses.get(tid);
  }

  @Override
  public byte[] environment(int process) {
    looks++;
    duringLook.run();
    return environments.getOrDefault(process, new byte[0]);
  }

  @Override
  public String workingDirectory(int process) {
    return directories.getOrDefault(process, "");
  }

  @Override
  public @Nullable PlainFile file(String path) {
    return files.get(path);
  }

  @Override
  public @Nullable Watch watch(int tid) {
    if (!canWatch || !statuses.containsKey(tid)) {
      return null;
    }
    open++;
    FakeWatch watch = new FakeWatch();
    watched.put(tid, watch);
    return watch;
  }
}
