package io.hypersync.worker.daemon.identity;

import io.hypersync.worker.fuse.dev.ByteFiles;
import io.hypersync.worker.fuse.dev.ThreadWatch;
import io.hypersync.worker.identity.ProcessTable;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The processes of this machine, from {@code /proc}. What has ended is not there. */
public final class ProcProcesses implements ProcessTable {
  private static final int MAX_ENVIRONMENT_BYTES = 256 << 10;
  private static final int MAX_STATUS_BYTES = 16 << 10;

  /** In {@code Uid:}, after the real one. */
  private static final int EFFECTIVE = 1;

  private static final String PROCESS = "Tgid:";
  private static final String PARENT = "PPid:";
  private static final String USERS = "Uid:";

  @Override
  public @Nullable Status status(int tid) {
    byte[] content = ByteFiles.ofKernel("/proc/" + tid + "/status", MAX_STATUS_BYTES);
    // Any bytes: the thread's name in it may be cut in the middle of a character.
    String lines = new String(content, StandardCharsets.ISO_8859_1);
    try {
      return new Status(
          Integer.parseInt(value(lines, PROCESS)),
          Integer.parseInt(value(lines, PARENT)),
          Integer.parseUnsignedInt(value(lines, USERS).split("\t", -1)[EFFECTIVE]));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      return null;
    }
  }

  /** The value of a field; the name of the thread, before it, has no line feed. */
  private static String value(String lines, String field) {
    int at = lines.indexOf('\n' + field);
    int end = at < 0 ? at : lines.indexOf('\n', at + 1);
    return end < 0 ? "" : lines.substring(at + 1 + field.length(), end).strip();
  }

  @Override
  public byte[] environment(int process) {
    return ByteFiles.ofKernel("/proc/" + process + "/environ", MAX_ENVIRONMENT_BYTES);
  }

  @Override
  public String workingDirectory(int process) {
    return ByteFiles.link("/proc/" + process + "/cwd");
  }

  @Override
  public @Nullable PlainFile file(String path) {
    ByteFiles.@Nullable Beginning file = ByteFiles.read(path, MAX_FILE_BYTES);
    return file == null ? null : new PlainFile(file.owner(), file.mtimeS(), file.content());
  }

  @Override
  public @Nullable Watch watch(int tid) {
    Status status = status(tid);
    ThreadWatch watch =
        status == null ? null : ThreadWatch.open(tid, status.process(), status.parent());
    return watch == null ? null : new ProcWatch(watch);
  }

  private record ProcWatch(ThreadWatch watch) implements Watch {
    @Override
    public boolean isUnchanged() {
      return watch.isUnchanged();
    }

    @Override
    public boolean seesExec() {
      return watch.seesExec();
    }

    @Override
    public void close() {
      watch.close();
    }
  }
}
