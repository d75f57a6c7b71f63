package io.hypersync.model.trie;

import io.hypersync.model.codec.CanonicalWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.commons.codec.digest.Blake3;

/**
 * Computes the root of a trie directly from its definition: keys as strings of '0' and '1', and
 * another implementation of BLAKE3. Shares no code with the trie.
 */
final class ReferenceRoot {
  private ReferenceRoot() {}

  /** The root of leaves in ascending order of their keys; 32 zero bytes if there are none. */
  static byte[] of(List<? extends Leaf> leaves, RootVersion version) {
    return leaves.isEmpty() ? new byte[32] : below(leaves, version);
  }

  private static byte[] below(List<? extends Leaf> leaves, RootVersion version) {
    if (leaves.size() == 1) {
      CanonicalWriter out = new CanonicalWriter(64);
      leaves.getFirst().encode(out, version);
      return Blake3.hash(out.u8(0).toBytes());
    }
    // The leaves are sorted, so the first bit in which any two of them differ is where the first
    // and the last differ.
    String first = bits(leaves.getFirst().key());
    String last = bits(leaves.getLast().key());
    int bit = 0;
    while (at(first, bit) == at(last, bit)) {
      bit++;
    }
    int split = 0;
    while (at(bits(leaves.get(split).key()), bit) == '0') {
      split++;
    }
    byte[] left = below(leaves.subList(0, split), version);
    byte[] right = below(leaves.subList(split, leaves.size()), version);
    CanonicalWriter pair = new CanonicalWriter(69).raw(left).raw(right);
    return switch (version) {
      case V1 -> Blake3.hash(pair.u32(bit).u8(1).toBytes());
      case V2 -> Blake3.keyedHash(key(bit), pair.toBytes());
    };
  }

  /** The key of an inner node of version 2 at this bit. */
  static byte[] key(int bit) {
    byte[] label = "hypersync trie inner node 2".getBytes(StandardCharsets.US_ASCII);
    return Blake3.hash(new CanonicalWriter(32).raw(label).u32(bit).u8(1).toBytes());
  }

  private static char at(String bits, int index) {
    return index < bits.length() ? bits.charAt(index) : '0';
  }

  private static String bits(TrieKey key) {
    StringBuilder bits = new StringBuilder();
    for (int i = 0; i < key.length(); i++) {
      bits.append('1');
      String value = Integer.toBinaryString(key.byteAt(i));
      bits.append("0".repeat(8 - value.length())).append(value);
    }
    return bits.toString();
  }
}
