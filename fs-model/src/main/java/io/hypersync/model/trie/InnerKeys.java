package io.hypersync.model.trie;

import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The keys with which inner nodes are hashed in {@link RootVersion#V2}, one for each bit. A key is
 * BLAKE3 of these 32 bytes:
 *
 * <pre>
 *   0                                              27         31          32
 *   +----------------------------------------------+----------+-----------+
 *   | ASCII "hypersync trie inner node 2"          | bit u32  | domain u8 |
 *   |                                              |          |   = 1     |
 *   +----------------------------------------------+----------+-----------+
 * </pre>
 *
 * <p>The keys are public: they keep apart what differs. An inner node with the hash of one at
 * another bit, or of a leaf or a state, which are hashed without a key, would be a collision of
 * BLAKE3. The keys are hashes themselves, so that no two of them are related in a simple way.
 */
final class InnerKeys {
  private static final byte[] LABEL =
      "hypersync trie inner node 2".getBytes(StandardCharsets.US_ASCII);

  /**
   * The keys of the bits that are in use: those of keys of up to 255 bytes, the longest name.
   * Filled when a bit is first used. Threads may race to fill an element: they store equal values,
   * and a {@link Hash} is immutable, so a thread that sees the reference sees the value.
   */
  private static final @Nullable Hash[] KEYS = new @Nullable Hash[256 * TrieKey.BITS_PER_BYTE];

  private InnerKeys() {}

  /** The key of this bit, which is not negative. */
  static Hash of(int bit) {
    if (bit >= KEYS.length) {
      return derive(bit);
    }
    Hash key = KEYS[bit];
    if (key == null) {
      key = derive(bit);
      KEYS[bit] = key;
    }
    return key;
  }

  private static Hash derive(int bit) {
    CanonicalWriter out = new CanonicalWriter(Hash.BYTES);
    out.raw(LABEL).u32(bit).u8(MerkleTrie.INNER_DOMAIN);
    return Blake3.hash(out.array(), 0, out.length());
  }
}
