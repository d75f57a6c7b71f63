package io.hypersync.disk;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/** A change of a file's content that is durable only when the file has been synced. */
sealed interface FileChange {
  /** What a disk writes whole or not at all, in bytes. */
  int SECTOR_BYTES = 512;

  /** Makes it. */
  void applyTo(FileBytes content);

  /** Makes what a power cut in the middle of it leaves. */
  void tear(FileBytes content, RandomGenerator random);

  /** Overwrites, or appends. */
  record Write(long offset, byte[] bytes) implements FileChange {
    @Override
    public void applyTo(FileBytes content) {
      content.write(offset, bytes);
    }

    /** A beginning of its sectors, or any of them, as disks write them in any order. */
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

  /** Puts zeros there; the size stays. */
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

  /** Cuts the file, or appends zeros. */
  record Resize(long size) implements FileChange {
    @Override
    public void applyTo(FileBytes content) {
      content.resize(size);
    }

    /** A size is in one sector: it is there or not. */
    @Override
    public void tear(FileBytes content, RandomGenerator random) {
      applyTo(content);
    }
  }
}
