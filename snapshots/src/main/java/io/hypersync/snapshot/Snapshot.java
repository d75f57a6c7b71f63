package io.hypersync.snapshot;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.snapshot.Manifest;

/**
 * A snapshot that is complete: all its pages are durable in the chunk store. What the catalog keeps
 * of one; integers are big-endian, a text is a u32 length and UTF-8:
 *
 * <pre>
 *   0             8           9            17            25            33
 *   +-------------+-----------+------------+-------------+-------------+
 *   | "HSSNAPSH"  | format u8 | index u64  | taken i64   | pages u64   |
 *   |             | = 1       |            |             |             |
 *   +-------------+-----------+------------+-------------+-------------+
 *   33            41          42
 *   +-------------+-----------+-------------+----------------------+--------------------+
 *   | bytes u64   | pinned u8 | name        | u32 length, manifest | BLAKE3 of all that |
 *   |             | 0 or 1    |             |                      | is before it 32 B  |
 *   +-------------+-----------+-------------+----------------------+--------------------+
 * </pre>
 *
 * @param index the index of the last entry that it has
 * @param takenNs when it was taken, by this replica's clock, in nanoseconds since 1970; for people
 * @param pages how many pages had to be written
 * @param bytes the bytes of those pages
 * @param isPinned whether it is kept until somebody says otherwise
 * @param name what somebody called it; empty for one that was taken because it was time
 * @param manifest the bytes of the manifest, which say everything else
 */
public record Snapshot(
    long index,
    long takenNs,
    long pages,
    long bytes,
    boolean isPinned,
    String name,
    byte[] manifest) {
  /** The longest name, in bytes of UTF-8. */
  public static final int MAX_NAME_BYTES = 255;

  private static final long MAGIC = 0x4853534e41505348L; // "HSSNAPSH"
  private static final int FORMAT = 1;

  /** A manifest has two tries of at most 1 KiB, besides numbers. */
  private static final int MAX_MANIFEST_BYTES = 64 * 1024;

  /** Whether it is kept for its name or its pin, however old it becomes. */
  public boolean isKept() {
    return isPinned || !name.isEmpty();
  }

  /** The hash of the manifest, which is equal on all replicas that have this snapshot. */
  public Hash hash() {
    return Blake3.hash(manifest);
  }

  /**
   * The commit time of its last entry, in nanoseconds since 1970. {@link Long#MAX_VALUE} if the
   * manifest cannot be read: then it is not older than anything.
   */
  public long lastTimeNs() {
    try {
      return Manifest.lastTimeNs(manifest);
    } catch (DecodeException e) {
      return Long.MAX_VALUE;
    }
  }

  /** The same snapshot, pinned or not. */
  public Snapshot withPin(boolean pinned) {
    return new Snapshot(index, takenNs, pages, bytes, pinned, name, manifest);
  }

  /** The same snapshot with a name; the empty one takes the name away. */
  public Snapshot withName(String newName) {
    return new Snapshot(index, takenNs, pages, bytes, isPinned, newName, manifest);
  }

  /** The form in the catalog. */
  public byte[] encode() {
    CanonicalWriter out = new CanonicalWriter(128 + manifest.length);
    out.u64(MAGIC)
        .u8(FORMAT)
        .u64(index)
        .u64(takenNs)
        .u64(pages)
        .u64(bytes)
        .u8(isPinned ? 1 : 0)
        .text(name)
        .bytes(manifest);
    out.hash(Blake3.hash(out.array(), 0, out.length()));
    return out.toBytes();
  }

  /**
   * Reads the form in the catalog.
   *
   * @throws DecodeException if it is damaged, or of a later version of hypersync
   */
  public static Snapshot decode(byte[] encoded) throws DecodeException {
    CanonicalReader in = new CanonicalReader(encoded);
    if (in.u64() != MAGIC) {
      throw new DecodeException("not a snapshot");
    }
    int format = in.u8();
    if (format != FORMAT) {
      throw new DecodeException(
          "the snapshot has format " + format + ", and this version of hypersync reads " + FORMAT);
    }
    long index = in.size();
    long takenNs = in.u64();
    long pages = in.size();
    long bytes = in.size();
    int pinned = in.u8();
    String name = in.text(MAX_NAME_BYTES);
    byte[] manifest = in.bytes(MAX_MANIFEST_BYTES);
    int covered = encoded.length - Hash.BYTES;
    Hash said = in.hash();
    in.finish();
    if (pinned > 1 || !Blake3.hash(encoded, 0, covered).equals(said)) {
      throw new DecodeException("the snapshot of entry " + index + " is damaged");
    }
    return new Snapshot(index, takenNs, pages, bytes, pinned == 1, name, manifest);
  }
}
