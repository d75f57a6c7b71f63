package io.hypersync.leader.daemon.leadership;

import io.hypersync.leader.leadership.ClaimContent;
import io.hypersync.leader.leadership.ClaimException;
import io.hypersync.leader.leadership.ClaimStore;
import io.hypersync.leader.leadership.ClaimText;
import io.hypersync.runtime.file.FileLockedException;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.file.MomentaryLock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * The claim file of a workspace, in the directory of the admin sockets. It is locked from the read
 * to the write, and never removed. It is not synced: after a power failure no process of this host
 * leads.
 */
public final class ClaimFile implements ClaimStore {
  private final Path file;

  /** Uses this file, which need not exist. */
  public ClaimFile(Path file) {
    this.file = file;
  }

  @Override
  public ClaimContent exchange(Function<ClaimContent, Optional<ClaimContent>> decide)
      throws ClaimException {
    try (MomentaryLock lock = MomentaryLock.take(file)) {
      ClaimContent found = read(lock.channel());
      Optional<ClaimContent> wanted = decide.apply(found);
      if (wanted.isEmpty()) {
        return found;
      }
      write(lock.channel(), ClaimText.of(wanted.get()));
      return wanted.get();
    } catch (FileLockedException e) {
      throw new ClaimException(
          "the claim file " + file + " is locked by another process",
          "Look which one: fuser " + file);
    } catch (IOException e) {
      throw new ClaimException(
          "the claim file " + file + " cannot be used: " + FileProblems.describe(e),
          FileProblems.hint(
              e, "It must be a file of this user. If no leader runs, it can be removed."));
    }
  }

  private static ClaimContent read(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(ClaimText.MAX_BYTES + 1);
    while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) > 0) {
      // until it is full, or the file ends
    }
    return ClaimText.parse(
        new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1));
  }

  private static void write(FileChannel channel, String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    while (bytes.hasRemaining()) {
      var _ = channel.write(bytes, bytes.position());
    }
    var _ = channel.truncate(text.length());
  }
}
