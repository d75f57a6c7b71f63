package io.hypersync.model.trie;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Every kind of key must have the bit sequence that its bytes define. */
class TrieKeyTest {
  @Test
  void bitsAndDifferencesAreThoseOfTheBytes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      List<TrieKey> keys = keys(random);
      for (TrieKey a : keys) {
        String bits = bits(a);
        for (int bit = 0; bit < bits.length() + 20; bit++) {
          assertEquals(
              at(bits, bit), TrieKey.bitOf(a, bit), "seed " + seed + " " + a + " bit " + bit);
        }
        for (TrieKey b : keys) {
          assertEquals(
              difference(bits, bits(b)),
              TrieKey.firstDifference(a, b),
              () -> "seed " + seed + " " + a + " and " + b);
        }
      }
    }
  }

  /** Keys of every kind; some share long prefixes, some are prefixes of others. */
  private static List<TrieKey> keys(Random random) {
    List<TrieKey> keys = new ArrayList<>();
    long high = random.nextLong();
    long low = random.nextLong();
    for (int i = 0; i < 3; i++) {
      keys.add(TrieKey.of(high, low ^ (1L << random.nextInt(64))));
      keys.add(TrieKey.of(high ^ (1L << random.nextInt(64)), low));
      keys.add(TrieKey.of((high ^ (1L << random.nextInt(63))) & Long.MAX_VALUE));
      byte[] bytes = new byte[1 + random.nextInt(20)];
      random.nextBytes(bytes);
      keys.add(TrieKey.of(bytes));
      byte[] longer = Arrays.copyOf(bytes, bytes.length + random.nextInt(3));
      longer[random.nextInt(longer.length)] ^= (byte) (random.nextInt(2) << random.nextInt(8));
      keys.add(TrieKey.of(longer));
    }
    keys.add(TrieKey.of(high, low));
    keys.add(TrieKey.of(high & Long.MAX_VALUE));
    return keys;
  }

  private static String bits(TrieKey key) {
    StringBuilder bits = new StringBuilder();
    for (int i = 0; i < key.length(); i++) {
      String value = Integer.toBinaryString(key.byteAt(i));
      bits.append('1').append("0".repeat(8 - value.length())).append(value);
    }
    return bits.toString();
  }

  private static int at(String bits, int bit) {
    return bit < bits.length() ? bits.charAt(bit) - '0' : 0;
  }

  private static int difference(String a, String b) {
    for (int bit = 0; bit < Math.max(a.length(), b.length()); bit++) {
      if (at(a, bit) != at(b, bit)) {
        return bit;
      }
    }
    return -1;
  }
}
