package io.hypersync.model.trie;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import org.jspecify.annotations.Nullable;

/**
 * How the inner nodes of a trie are hashed, and with them every Merkle root (hypersync.md 8.1.1).
 * Logs and traces say which version their roots have; {@link #LATEST} is what new ones have.
 *
 * <p>Version 1 hashes 69 bytes, which are two blocks of BLAKE3:
 *
 * <pre>
 *   0                32               64         68          69
 *   +----------------+----------------+----------+-----------+
 *   | left hash 32 B | right hash 32 B| bit u32  | domain u8 |   BLAKE3
 *   |                |                |          |   = 1     |
 *   +----------------+----------------+----------+-----------+
 * </pre>
 *
 * <p>Version 2 hashes one block. Bit and domain are in the key of BLAKE3's keyed mode ({@link
 * InnerKeys}):
 *
 * <pre>
 *   0                32               64
 *   +----------------+----------------+
 *   | left hash 32 B | right hash 32 B|   BLAKE3, keyed with the key of the bit
 *   +----------------+----------------+
 * </pre>
 *
 * <p>Leaves are hashed alike in both versions, and end with a domain byte. The state's root ends
 * with a domain byte of its own in each version ({@code FsState}), so a root of one version is
 * never one of the other.
 */
public enum RootVersion {
  /** Logs written before there was a version. Readable, and no longer written. */
  V1(1),
  /** One block for each inner node. */
  V2(2);

  /** The version of new logs, and the only one that leaders and workers follow. */
  public static final RootVersion LATEST = V2;

  private static final int METADATA_BYTES = Integer.BYTES + 1;
  private static final long INNER_DOMAIN = (long) MerkleTrie.INNER_DOMAIN << Integer.SIZE;

  private final byte code;

  RootVersion(int code) {
    this.code = (byte) code;
  }

  /** The number of this version in logs and traces; never 0. */
  public int code() {
    return code;
  }

  /** The version with this number, or null if it is unknown. */
  public static @Nullable RootVersion ofCode(int code) {
    return switch (code) {
      case 1 -> V1;
      case 2 -> V2;
      default -> null;
    };
  }

  /**
   * The hash of an inner node.
   *
   * @param bit the bit at which the keys below it part; not negative
   */
  Hash inner(Hash left, Hash right, int bit) {
    if (this == V2) {
      return Blake3.keyedPair(InnerKeys.of(bit), left, right);
    }
    long metadata = Integer.toUnsignedLong(Integer.reverseBytes(bit)) | INNER_DOMAIN;
    return Blake3.pairAndTail(left, right, metadata, METADATA_BYTES);
  }
}
