package io.hypersync.chunkstore;

import io.hypersync.model.hash.Hash;

/**
 * Remembers which chunks were used lately, for a cache that has to become smaller. Two generations:
 * when the newer one has had enough bytes or chunks, it becomes the older one, and what was in that
 * is forgotten. A chunk takes 11 to 21 bytes of heap. Thread-safe.
 */
public final class UsedChunks {
  private final long generationBytes;
  private final int generationChunks;
  private FingerprintSet newer = new FingerprintSet();
  private FingerprintSet older = new FingerprintSet();
  private long newerBytes;

  /**
   * Nothing was used yet.
   *
   * @param generationBytes how many bytes of chunks are in one generation; 0 to remember nothing
   * @param generationChunks how many chunks at most
   */
  public UsedChunks(long generationBytes, int generationChunks) {
    this.generationBytes = generationBytes;
    this.generationChunks = generationChunks;
  }

  /** One that remembers nothing. */
  public static UsedChunks none() {
    return new UsedChunks(0, 0);
  }

  /** A chunk was used. */
  public void used(Hash hash, int bytes) {
    if (generationBytes <= 0) {
      return;
    }
    synchronized (this) {
      if (!newer.add(hash.w0())) {
        return;
      }
      newerBytes += bytes;
      if (newerBytes >= generationBytes || newer.size() >= generationChunks) {
        older = newer;
        newer = new FingerprintSet();
        newerBytes = 0;
      }
    }
  }

  /** Whether a chunk was used lately; may rarely take another one for it. */
  public synchronized boolean contains(Hash hash) {
    return newer.contains(hash.w0()) || older.contains(hash.w0());
  }
}
