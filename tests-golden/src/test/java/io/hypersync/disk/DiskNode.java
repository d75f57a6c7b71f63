package io.hypersync.disk;

import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * A file or directory, in its present state and in the state that a power cut would leave. Modes,
 * owners and times are durable at once, because no test depends on them. Not thread-safe.
 */
final class DiskNode {
  private static final int TYPE_BITS = 0170000;
  private static final int DIRECTORY = 0040000;
  private static final int BLOCK_BYTES = 512;
  private static final int PAGE_BYTES = 4096;

  /** One in this many of the surviving writes is torn. */
  private static final int TORN_ONE_IN = 4;

  final long id;
  int mode;
  int uid;
  int gid;
  long mtimeNs;

  /** Present number of names. */
  int links;

  private FileBytes content = new FileBytes();
  private FileBytes durable = new FileBytes();
  private final List<FileChange> unsynced = new ArrayList<>();

  /** The present names of a directory. */
  final TreeMap<String, DiskNode> names = new TreeMap<>();

  /** The names of a directory after a power cut. */
  final TreeMap<String, DiskNode> durableNames = new TreeMap<>();

  DiskNode(long id, int mode, int uid, int gid, long nowNs) {
    this.id = id;
    this.mode = mode;
    this.uid = uid;
    this.gid = gid;
    this.mtimeNs = nowNs;
  }

  boolean isDirectory() {
    return (mode & TYPE_BITS) == DIRECTORY;
  }

  FileBytes content() {
    return content;
  }

  void change(FileChange change, long nowNs) {
    change.applyTo(content);
    unsynced.add(change);
    mtimeNs = nowNs;
  }

  /** Makes the content durable. */
  void sync() {
    unsynced.forEach(change -> change.applyTo(durable));
    unsynced.clear();
  }

  /**
   * Loses what was not synced, except for what survives by chance: each change survives with
   * probability {@code survival}, some of them torn. The file size may survive independently of the
   * written bytes.
   */
  void losePower(RandomGenerator random, double survival) {
    long sizeBefore = content.size();
    for (FileChange change : unsynced) {
      if (random.nextDouble() >= survival) {
        continue;
      }
      if (survival < 1 && random.nextInt(TORN_ONE_IN) == 0) {
        change.tear(durable, random);
      } else {
        change.applyTo(durable);
      }
    }
    if (!unsynced.isEmpty() && durable.size() < sizeBefore && random.nextDouble() < survival) {
      durable.resize(sizeBefore);
    }
    unsynced.clear();
    content = durable.copy();
    names.clear();
    names.putAll(durableNames);
    links = 0;
  }

  FuseAttr attributes() {
    return new FuseAttr(
        new InodeNo(id),
        content.size(),
        content.allocated() / BLOCK_BYTES,
        mtimeNs,
        mtimeNs,
        mtimeNs,
        mode,
        isDirectory() ? 2 : links,
        uid,
        gid,
        0,
        PAGE_BYTES);
  }
}
