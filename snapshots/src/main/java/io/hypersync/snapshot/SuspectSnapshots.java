package io.hypersync.snapshot;

import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether pages of snapshots are known to be unreadable. A start reads pages only when they are
 * needed, so it would not notice, and the next snapshot would refer to such a page again. With the
 * file {@code snapshots.suspect} in the state directory a start reads every page of a snapshot
 * before it goes on from there, and takes an older one otherwise.
 *
 * <p>Any thread. A hint: if the file cannot be written, the next start does without.
 */
public final class SuspectSnapshots {
  private static final Logger LOG = LoggerFactory.getLogger(SuspectSnapshots.class);
  private static final String NAME = "snapshots.suspect";

  private final Path file;
  private final AtomicBoolean isNoted = new AtomicBoolean();

  private SuspectSnapshots(Path file) {
    this.file = file;
    isNoted.set(Files.exists(file));
  }

  /** What is known of the snapshots in a state directory. */
  public static SuspectSnapshots of(Path stateDirectory) {
    return new SuspectSnapshots(stateDirectory.resolve(NAME));
  }

  /** Whether a start has to read everything. */
  public boolean areSuspect() {
    return isNoted.get();
  }

  /** A page cannot be read. */
  public void note(PageUnreadableException page) {
    if (isNoted.getAndSet(true)) {
      return;
    }
    LOG.error(
        "page {} cannot be read, so the next start reads all pages of its snapshot: {}",
        page.page(),
        page.getMessage());
    try {
      Files.write(file, (page.page() + "\n").getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      LOG.warn("{} cannot be written: {}", file, FileProblems.describe(e));
    }
  }

  /** The newest snapshot was read, every page of it. */
  public void clear() {
    try {
      Files.deleteIfExists(file);
      isNoted.set(false);
    } catch (IOException e) {
      LOG.warn("{} cannot be removed: {}", file, FileProblems.describe(e));
    }
  }
}
