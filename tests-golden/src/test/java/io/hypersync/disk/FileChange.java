package io.hypersync.disk;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/** A change of a file's content, which becomes durable when the file is synced. */
sealed interface FileChange {
  /** Size of what a disk writes atomically, in bytes. */
  int SECTOR_BYTES = 512;

  /** Applies the whole change. */
  void applyTo(FileBytes content);

  /** Applies what a power cut in the middle of the change leaves. */
  void tear(FileBytes content, RandomGenerator random);

  /** Overwrites or appends bytes. */
  record Write(long offset, byte[] bytes) implements FileChange {
    @Override
    public void applyTo(FileBytes content) {
      content.write(offset, bytes);
    }

    /**
     * Writes a prefix of the sectors or a random subset, because disks write sectors in any order.
     */
    @Override
    public void tear(FileBytes content, RandomGenerator random) {
      boolean beginning = random.nextBoolean();
      long end = offset + bytes.length;
      long stop = beginning ? offset + random.nextLong(bytes.length + 1L) : end;
      long from = offset;
      while (from < end) {
        long to = Math.min(end, (from / SECTOR_BYTES + 1) * SECTOR_BYTES);
        if (beginning ? to <= stop : random.nextBoolean()) {
          content.write(
              from, Arrays.copyOfRange(bytes, (int) (from - offset), (int) (to - offset)));
        }
        from = to;
      }
    }
  }

  /** Overwrites with zeros; the size does not change. */
  record Zero(long offset, long length) implements FileChange {
    @Override
    public void applyTo(FileBytes content) {
      content.zero(offset, Math.clamp(content.size() - offset, 0, length));
    }

    @Override
    public void tear(FileBytes content, RandomGenerator random) {
      new Zero(offset, random.nextLong(length + 1) / SECTOR_BYTES * SECTOR_BYTES).applyTo(content);
    }
  }

  /** Truncates the file, or extends it with zeros. */
  record Resize(long size) implements FileChange {
    @Override
    public void applyTo(FileBytes content) {
      content.resize(size);
    }

    /** The size is stored in one sector, so it is never torn. */
    @Override
    public void tear(FileBytes content, RandomGenerator random) {
      applyTo(content);
    }
  }
}
