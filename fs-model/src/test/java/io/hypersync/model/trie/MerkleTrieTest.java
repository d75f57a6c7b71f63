package io.hypersync.model.trie;

import static io.hypersync.model.trie.RootVersion.LATEST;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Hash;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class MerkleTrieTest {
  private static final byte[] AWKWARD_BYTES = {0, 1, 0x7f, (byte) 0x80, (byte) 0xfe, (byte) 0xff};

  @Test
  void theEmptyTrieHasNothing() {
    MerkleTrie<TestLeaf> empty = MerkleTrie.empty();
    TrieKey key = TrieKey.of(new byte[] {1});
    assertEquals(0, empty.size());
    assertTrue(empty.isEmpty());
    assertEquals(0, empty.depth());
    assertEquals(Hash.ZERO, empty.root(LATEST));
    assertNull(empty.get(key));
    assertNull(empty.floor(key));
    assertNull(empty.first());
    assertNull(empty.last());
    assertSame(empty, empty.without(key));
    assertSame(empty, empty.withoutRange(key, key));
    assertFalse(empty.iterator(key).hasNext());
    assertThrows(NoSuchElementException.class, () -> empty.iterator().next());
  }

  /** Size and depth are updated incrementally, from a small part of the trie. */
  @ParameterizedTest(name = "keys of 1 to {0} bytes, seed {1}")
  @CsvSource({"1, 1", "2, 2", "2, 3", "3, 4", "3, 5", "4, 6", "4, 7"})
  void sizeAndDepthAreRightAfterEveryChange(int lengths, long seed) {
    Random random = new Random(seed);
    MerkleTrie<TestLeaf> trie = MerkleTrie.empty();
    for (int i = 0; i < 1_500; i++) {
      byte[] key = new byte[1 + random.nextInt(lengths)];
      for (int at = 0; at < key.length; at++) {
        key[at] = (byte) (1 << random.nextInt(8));
      }
      boolean shrinks = i / 300 % 2 == 1;
      if (trie.isEmpty() || random.nextInt(10) < (shrinks ? 2 : 8)) {
        trie = trie.with(new TestLeaf(key, i));
      } else if (random.nextInt(20) > 0) {
        trie = trie.without(nextKey(trie, TrieKey.of(key)));
      } else {
        TrieKey from = nextKey(trie, TrieKey.of(key));
        trie = trie.withoutRange(from, TrieKey.of(new byte[] {(byte) (from.byteAt(0) + 1)}));
      }
      int size = 0;
      int depth = 0;
      for (TestLeaf leaf : trie) {
        size++;
        depth = Math.max(depth, 1 + trie.proof(leaf.key(), LATEST).upwards().size());
      }
      assertEquals(size, trie.size(), "leaves after change " + i);
      assertEquals(depth, trie.depth(), "depth after change " + i);
    }
  }

  /** The key of the first leaf at or after {@code from}, or of the last leaf if there is none. */
  private static TrieKey nextKey(MerkleTrie<TestLeaf> trie, TrieKey from) {
    Iterator<TestLeaf> rest = trie.iterator(from);
    return (rest.hasNext() ? rest.next() : trie.last()).key();
  }

  @ParameterizedTest(name = "{0} leaves")
  @ValueSource(ints = {1, 2, 3, 100, 5_000})
  void aProofLeadsFromEveryLeafToTheRootAndFromNothingElse(int leaves) {
    Random random = new Random(leaves);
    MerkleTrie<TestLeaf> trie = MerkleTrie.empty();
    for (int i = 0; i < leaves; i++) {
      byte[] key = new byte[1 + random.nextInt(6)];
      random.nextBytes(key);
      trie = trie.with(new TestLeaf(key, i));
    }
    Hash root = trie.root(LATEST);
    int longest = 0;
    for (TestLeaf leaf : trie) {
      MerkleProof proof = trie.proof(leaf.key(), LATEST);
      assertNotNull(proof, leaf::toString);
      assertEquals(leaf.hash(LATEST), proof.leaf());
      assertEquals(root, proof.root(LATEST), leaf::toString);
      longest = Math.max(longest, proof.upwards().size());
      Hash other = new TestLeaf(leaf.bytes(), leaf.value() + 1).hash(LATEST);
      assertNotEquals(root, new MerkleProof(other, proof.upwards()).root(LATEST), leaf::toString);
    }
    assertEquals(longest + 1, trie.depth(), "the inner nodes above the deepest leaf, and it");
    assertNull(trie.proof(TrieKey.of(new byte[] {1, 2, 3, 4, 5, 6, 7}), LATEST), "no such leaf");
    assertNull(MerkleTrie.<TestLeaf>empty().proof(TrieKey.of(new byte[] {1}), LATEST));
  }

  @Test
  void aProofWithOneStepChangedLeadsElsewhere() {
    MerkleTrie<TestLeaf> trie = MerkleTrie.empty();
    for (int i = 0; i < 200; i++) {
      trie = trie.with(new TestLeaf(new byte[] {(byte) i, 7}, i));
    }
    TrieKey key = TrieKey.of(new byte[] {42, 7});
    MerkleProof proof = trie.proof(key, LATEST);
    assertNotNull(proof);
    for (int i = 0; i < proof.upwards().size(); i++) {
      MerkleProof.Step step = proof.upwards().get(i);
      List<MerkleProof.Step> wrong =
          List.of(
              new MerkleProof.Step(step.bit() + 1, step.right(), step.sibling()),
              new MerkleProof.Step(step.bit(), !step.right(), step.sibling()),
              new MerkleProof.Step(step.bit(), step.right(), Hash.ZERO));
      for (MerkleProof.Step other : wrong) {
        List<MerkleProof.Step> steps = new ArrayList<>(proof.upwards());
        steps.set(i, other);
        assertNotEquals(
            trie.root(LATEST), new MerkleProof(proof.leaf(), steps).root(LATEST), other::toString);
      }
    }
  }

  /** Short keys over few bytes collide often: equal keys, prefixes, neighbours. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void behavesAsATreeMap(long seed) {
    Random random = new Random(seed);
    int longest = 1 + random.nextInt(4);
    MerkleTrie<TestLeaf> trie = MerkleTrie.empty();
    NavigableMap<byte[], TestLeaf> map = new TreeMap<>(Arrays::compareUnsigned);
    for (int step = 0; step < 3_000; step++) {
      String where = "seed " + seed + " step " + step;
      byte[] key = randomKey(random, longest);
      switch (random.nextInt(8)) {
        case 0, 1, 2, 3 -> {
          TestLeaf leaf = new TestLeaf(key, random.nextInt(4));
          trie = trie.with(leaf);
          map.put(key, leaf);
        }
        case 4, 5, 6 -> {
          trie = trie.without(TrieKey.of(key));
          map.remove(key);
        }
        default -> {
          byte[] other = randomKey(random, longest);
          if (random.nextInt(4) == 0 && Arrays.compareUnsigned(key, other) <= 0) {
            trie = trie.withoutRange(TrieKey.of(key), TrieKey.of(other));
            map.subMap(key, other).clear();
          }
        }
      }
      byte[] probe = randomKey(random, longest);
      assertSame(map.get(probe), trie.get(TrieKey.of(probe)), where + " get " + hex(probe));
      assertSame(
          value(map.floorEntry(probe)),
          trie.floor(TrieKey.of(probe)),
          where + " floor " + hex(probe));
      assertEquals(map.size(), trie.size(), where + " size");
      assertSame(value(map.firstEntry()), trie.first(), where + " first");
      assertSame(value(map.lastEntry()), trie.last(), where + " last");
      if (step % 20 == 0) {
        assertEquals(List.copyOf(map.values()), list(trie.iterator()), where + " iterator");
        assertEquals(
            List.copyOf(map.tailMap(probe).values()),
            list(trie.iterator(TrieKey.of(probe))),
            where + " iterator from " + hex(probe));
      }
      if (step % 100 == 0) {
        assertEquals(
            hex(ReferenceRoot.of(List.copyOf(map.values()), LATEST)),
            trie.root(LATEST).toString(),
            where);
      }
    }
  }

  @ParameterizedTest(name = "[{0}, {1})")
  @CsvSource({"0,0", "0,1", "3,3", "5,3", "2,7", "0,100", "99,100", "50,1000", "100,200", "0,1000"})
  void dropsARange(int from, int to) {
    MerkleTrie<TestLeaf> trie = MerkleTrie.empty();
    MerkleTrie<TestLeaf> expected = MerkleTrie.empty();
    for (int i = 0; i < 100; i++) {
      TestLeaf leaf = new TestLeaf(numberKey(i), i);
      trie = trie.with(leaf);
      expected = i < from || i >= to ? expected.with(leaf) : expected;
    }
    Hash before = trie.root(LATEST);
    MerkleTrie<TestLeaf> rest =
        trie.withoutRange(TrieKey.of(numberKey(from)), TrieKey.of(numberKey(to)));
    assertEquals(list(expected.iterator()), list(rest.iterator()));
    assertEquals(expected.size(), rest.size());
    assertEquals(expected.root(LATEST), rest.root(LATEST));
    assertEquals(before, trie.root(LATEST), "the older version");
    if (rest.size() == trie.size()) {
      assertSame(trie, rest, "nothing in the range");
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {11, 12, 13, 14})
  void theRootDependsOnTheLeavesAlone(long seed) {
    Random random = new Random(seed);
    Map<String, TestLeaf> leaves = new HashMap<>();
    for (int i = 0; i < 200; i++) {
      byte[] key = randomKey(random, 5);
      leaves.put(hex(key), new TestLeaf(key, i));
    }
    Hash expected = build(new ArrayList<>(leaves.values())).root(LATEST);
    for (int history = 0; history < 20; history++) {
      List<TestLeaf> order = new ArrayList<>(leaves.values());
      Collections.shuffle(order, random);
      MerkleTrie<TestLeaf> trie = MerkleTrie.empty();
      List<byte[]> strangers = new ArrayList<>();
      for (TestLeaf leaf : order) {
        trie = trie.with(new TestLeaf(leaf.bytes(), -1)); // overwritten later
        byte[] stranger = randomKey(random, 5);
        if (!leaves.containsKey(hex(stranger))) {
          trie = trie.with(new TestLeaf(stranger, -2));
          strangers.add(stranger);
        }
        if (random.nextInt(10) == 0) {
          trie.root(LATEST); // hashes cached in between must not matter
        }
      }
      Collections.shuffle(order, random);
      for (TestLeaf leaf : order) {
        trie = trie.with(new TestLeaf(leaf.bytes(), leaves.get(hex(leaf.bytes())).value()));
      }
      for (byte[] stranger : strangers) {
        trie = trie.without(TrieKey.of(stranger));
      }
      assertEquals(expected, trie.root(LATEST), "seed " + seed + " history " + history);
    }
  }

  @Test
  void differentSetsHaveDifferentRoots() {
    List<byte[]> keys =
        List.of(
            new byte[] {},
            new byte[] {0},
            new byte[] {0, 0},
            new byte[] {1},
            new byte[] {(byte) 0x80},
            new byte[] {(byte) 0xff},
            new byte[] {(byte) 0xff, 0},
            new byte[] {(byte) 0xff, (byte) 0xff});
    Set<Hash> roots = new HashSet<>();
    int sets = 1 << keys.size();
    for (int set = 0; set < sets; set++) {
      MerkleTrie<TestLeaf> trie = MerkleTrie.empty();
      for (int i = 0; i < keys.size(); i++) {
        if ((set & 1 << i) != 0) {
          trie = trie.with(new TestLeaf(keys.get(i), 0));
        }
      }
      assertTrue(roots.add(trie.root(LATEST)), "the set " + Integer.toBinaryString(set));
    }
    assertNotEquals(
        build(List.of(new TestLeaf(keys.get(1), 0))).root(LATEST),
        build(List.of(new TestLeaf(keys.get(1), 1))).root(LATEST),
        "same key, other value");
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {21, 22})
  void olderVersionsStayAsTheyAre(long seed) {
    record Version(MerkleTrie<TestLeaf> trie, List<TestLeaf> leaves, String root) {}
    Random random = new Random(seed);
    List<Version> versions = new ArrayList<>();
    MerkleTrie<TestLeaf> trie = MerkleTrie.empty();
    for (int step = 0; step < 500; step++) {
      byte[] key = randomKey(random, 3);
      trie =
          switch (random.nextInt(5)) {
            case 0, 1, 2 -> trie.with(new TestLeaf(key, step));
            case 3 -> trie.without(TrieKey.of(key));
            default -> trie.withoutRange(TrieKey.of(key), TrieKey.of(new byte[] {key[0], 2}));
          };
      List<TestLeaf> leaves = list(trie.iterator());
      versions.add(new Version(trie, leaves, hex(ReferenceRoot.of(leaves, LATEST))));
    }
    Collections.shuffle(versions, random);
    for (Version version : versions) {
      assertEquals(version.leaves, list(version.trie.iterator()), "seed " + seed);
      assertEquals(version.root, version.trie.root(LATEST).toString(), "seed " + seed);
    }
  }

  @ParameterizedTest(name = "{0} is before {1}")
  @CsvSource({"'',00", "00,0000", "00,01", "7f,80", "80,ff", "ff,ff00", "0100,0101", "01ff,02"})
  void keysAreOrderedBytewise(String smaller, String greater) {
    TrieKey a = TrieKey.of(HexFormat.of().parseHex(smaller));
    TrieKey b = TrieKey.of(HexFormat.of().parseHex(greater));
    assertTrue(TrieKey.compare(a, b) < 0);
    assertTrue(TrieKey.compare(b, a) > 0);
    assertEquals(0, TrieKey.compare(a, a));
  }

  @Test
  void numbersAndPairsAreTheSameKeysAsTheirBytes() {
    assertEquals(-1, TrieKey.firstDifference(TrieKey.of(0x0102L), TrieKey.of(numberKey(0x0102))));
    byte[] pair = new byte[16];
    pair[0] = (byte) 0x80;
    pair[15] = 7;
    assertEquals(-1, TrieKey.firstDifference(TrieKey.of(Long.MIN_VALUE, 7), TrieKey.of(pair)));
    assertTrue(TrieKey.compare(TrieKey.of(Long.MAX_VALUE), TrieKey.of(0L)) > 0);
  }

  @Test
  void keysWithMoreBitsThanAnInnerNodeCanNumberAreRefused() {
    byte[] longest = new byte[TrieKey.MAX_LENGTH];
    byte[] other = longest.clone();
    other[other.length - 1] = 1;
    MerkleTrie<TestLeaf> trie = build(List.of(new TestLeaf(longest, 1), new TestLeaf(other, 2)));
    assertEquals(2, list(trie.iterator()).size());
    assertEquals(2, trie.depth());
    assertThrows(IllegalArgumentException.class, () -> TrieKey.of(new byte[longest.length + 1]));
  }

  @ParameterizedTest
  @EnumSource
  void theRootIsTheOneOfItsDefinitionInEveryVersion(RootVersion version) {
    Random random = new Random(31);
    for (int leaves = 0; leaves < 60; leaves++) {
      NavigableMap<byte[], TestLeaf> map = new TreeMap<>(Arrays::compareUnsigned);
      for (int i = 0; i < leaves; i++) {
        byte[] key = randomKey(random, 1 + random.nextInt(40));
        map.put(key, new TestLeaf(key, random.nextInt()));
      }
      MerkleTrie<TestLeaf> trie = build(List.copyOf(map.values()));
      String expected = hex(ReferenceRoot.of(List.copyOf(map.values()), version));
      assertEquals(expected, trie.root(version).toString(), leaves + " leaves");
      for (TestLeaf leaf : map.values()) {
        MerkleProof proof = trie.proof(leaf.key(), version);
        assertNotNull(proof, leaf::toString);
        assertEquals(expected, proof.root(version).toString(), leaf::toString);
      }
    }
  }

  /** Also beyond the keys that are kept. */
  @Test
  void theKeysOfVersion2AreThoseOfTheirDefinition() {
    for (int bit : new int[] {0, 1, 8, 9, 143, 255, 256, 2294, 2295, 2303, 2304, 32_759, 70_000}) {
      byte[] expected = ReferenceRoot.key(bit);
      assertArrayEquals(expected, InnerKeys.of(bit).toBytes(), "bit " + bit);
      assertArrayEquals(expected, InnerKeys.of(bit).toBytes(), "bit " + bit + " again");
    }
  }

  @Test
  void aTrieThatWasHashedInOneVersionHasNoRootOfAnother() {
    List<TestLeaf> leaves =
        List.of(new TestLeaf(new byte[] {1}, 1), new TestLeaf(new byte[] {2}, 2));
    MerkleTrie<TestLeaf> trie = build(leaves);
    Hash root = trie.root(RootVersion.V1);
    assertThrows(IllegalStateException.class, () -> trie.root(RootVersion.V2));
    assertEquals(root, trie.root(RootVersion.V1));
    assertNotEquals(root, build(leaves).root(RootVersion.V2));
  }

  /** A crit-bit trie can be as deep as its keys have bits; names may be 255 bytes long. */
  @ParameterizedTest(name = "keys of up to {0} bytes")
  @ValueSource(ints = {1, 2, 30, 255})
  void keysThatArePrefixesOfEachOtherMakeADeepTrie(int longest) {
    List<TestLeaf> leaves = new ArrayList<>();
    for (int length = 1; length <= longest; length++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] key = new byte[length];
        key[length - 1] = (byte) (1 << bit);
        leaves.add(new TestLeaf(key, length));
      }
    }
    MerkleTrie<TestLeaf> trie = build(leaves);
    leaves.sort((a, b) -> Arrays.compareUnsigned(a.bytes(), b.bytes()));
    assertEquals(leaves, list(trie.iterator()));
    assertTrue(trie.depth() > 5 * longest, "depth " + trie.depth());
    assertEquals(trie.root(LATEST), build(leaves).root(LATEST), "inserted in order");
    if (longest <= 30) {
      assertEquals(
          hex(ReferenceRoot.of(leaves, LATEST)), trie.root(LATEST).toString(), "root of all");
    }
  }

  private static MerkleTrie<TestLeaf> build(List<TestLeaf> leaves) {
    MerkleTrie<TestLeaf> trie = MerkleTrie.empty();
    for (TestLeaf leaf : leaves) {
      trie = trie.with(leaf);
    }
    return trie;
  }

  private static byte[] randomKey(Random random, int longest) {
    byte[] key = new byte[1 + random.nextInt(longest)];
    for (int i = 0; i < key.length; i++) {
      key[i] = AWKWARD_BYTES[random.nextInt(AWKWARD_BYTES.length)];
    }
    return key;
  }

  private static byte[] numberKey(int number) {
    return new byte[] {0, 0, 0, 0, 0, 0, (byte) (number >> 8), (byte) number};
  }

  private static @Nullable TestLeaf value(Map.@Nullable Entry<byte[], TestLeaf> entry) {
    return entry == null ? null : entry.getValue();
  }

  private static List<TestLeaf> list(Iterator<TestLeaf> leaves) {
    List<TestLeaf> list = new ArrayList<>();
    leaves.forEachRemaining(list::add);
    return list;
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
