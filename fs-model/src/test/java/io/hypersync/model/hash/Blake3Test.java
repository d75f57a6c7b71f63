package io.hypersync.model.hash;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class Blake3Test {
  private static final int KIB = 1024;
  private static final int LARGEST = 200 * KIB;

  /** The implementations; {@code DISPATCHED} selects one of the others by length. */
  enum Implementation {
    DISPATCHED {
      @Override
      Hash hash(byte[] data, int offset, int length) {
        return Blake3.hash(data, offset, length);
      }
    },
    SCALAR {
      @Override
      Hash hash(byte[] data, int offset, int length) {
        return Blake3Scalar.INSTANCE.hash(data, offset, length);
      }
    },
    ROWS {
      @Override
      Hash hash(byte[] data, int offset, int length) {
        return Blake3Rows.INSTANCE.hash(data, offset, length);
      }
    },
    QUARTERS {
      @Override
      boolean isUsable() {
        return Blake3Quarters.isUsable();
      }

      @Override
      Hash hash(byte[] data, int offset, int length) {
        return offset + length < Long.BYTES
            ? Blake3.hash(data, offset, length)
            : Blake3Quarters.tree(data, offset, length, 0, Blake3Chain.ROOT);
      }
    },
    VECTOR {
      @Override
      Hash hash(byte[] data, int offset, int length) {
        // Blake3 handles inputs this short itself: tails are read eight bytes at a time.
        return offset + length < Long.BYTES
            ? Blake3.hash(data, offset, length)
            : Blake3Vector.hash(data, offset, length);
      }
    };

    /** Whether this processor has the vectors; without them the test would take minutes. */
    boolean isUsable() {
      return true;
    }

    abstract Hash hash(byte[] data, int offset, int length);
  }

  /** The implementations of the hash of two hashes and a tail. */
  enum PairImplementation {
    DISPATCHED {
      @Override
      Hash hash(Hash left, Hash right, long tail, int tailBytes) {
        return Blake3.pairAndTail(left, right, tail, tailBytes);
      }

      @Override
      Hash keyed(Hash key, Hash left, Hash right) {
        return Blake3.keyedPair(key, left, right);
      }
    },
    SCALAR {
      @Override
      Hash hash(Hash left, Hash right, long tail, int tailBytes) {
        return Blake3Scalar.INSTANCE.pairAndTail(left, right, tail, tailBytes);
      }

      @Override
      Hash keyed(Hash key, Hash left, Hash right) {
        return Blake3Scalar.INSTANCE.keyedPair(key, left, right);
      }
    },
    ROWS {
      @Override
      Hash hash(Hash left, Hash right, long tail, int tailBytes) {
        return Blake3Rows.INSTANCE.pairAndTail(left, right, tail, tailBytes);
      }

      @Override
      Hash keyed(Hash key, Hash left, Hash right) {
        return Blake3Rows.INSTANCE.keyedPair(key, left, right);
      }
    };

    abstract Hash hash(Hash left, Hash right, long tail, int tailBytes);

    abstract Hash keyed(Hash key, Hash left, Hash right);
  }

  /** The official test vectors: byte i of the input is i mod 251. */
  @ParameterizedTest(name = "{0} bytes")
  @CsvSource({
    "0,      af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
    "1,      2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213",
    "2,      7b7015bb92cf0b318037702a6cdd81dee41224f734684c2c122cd6359cb1ee63",
    "3,      e1be4d7a8ab5560aa4199eea339849ba8e293d55ca0a81006726d184519e647f",
    "64,     4eed7141ea4a5cd4b788606bd23f46e212af9cacebacdc7d1f4c6dc7f2511b98",
    "65,     de1e5fa0be70df6d2be8fffd0e99ceaa8eb6e8c93a63f2d8d1c30ecb6b263dee",
    "1024,   42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7",
    "1025,   d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444",
    "2048,   e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a",
    "102400, bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085"
  })
  void matchesTheOfficialVectors(int length, String expected) {
    byte[] data = new byte[length];
    for (int i = 0; i < length; i++) {
      data[i] = (byte) (i % 251);
    }
    for (Implementation implementation : Implementation.values()) {
      if (!implementation.isUsable()) {
        continue;
      }
      assertEquals(
          expected, implementation.hash(data, 0, length).toString(), implementation.toString());
    }
  }

  @ParameterizedTest
  @EnumSource
  void matchesCommonsCodecAtEveryShortLength(Implementation implementation) {
    assumeTrue(implementation.isUsable());
    byte[] data = random(1, 4200);
    for (int length = 0; length <= data.length; length++) {
      assertSame(implementation, data, 0, length);
    }
  }

  /**
   * Waits until the warm-up has been decided, so that vector code is tested where it wins. Commons
   * Codec reads the growing input only once.
   */
  @Test
  @Tag("slow")
  void matchesCommonsCodecAtEveryLength() throws InterruptedException {
    byte[] data = random(8, LARGEST);
    awaitDecision(64);
    awaitDecision(LARGEST);
    var codec = org.apache.commons.codec.digest.Blake3.initHash();
    byte[] expected = new byte[Hash.BYTES];
    for (int length = 0; length <= LARGEST; length++) {
      int bytes = length;
      codec.doFinalize(expected); // does not change its state
      assertEquals(Hash.read(expected, 0), Blake3.hash(data, 0, length), () -> bytes + " bytes");
      if (length < LARGEST) {
        codec.update(data, length, 1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void matchesCommonsCodecAroundEveryTreeShape(Implementation implementation) {
    assumeTrue(implementation.isUsable());
    byte[] data = random(2, LARGEST);
    for (int chunks = 4; chunks < LARGEST / KIB; chunks++) {
      for (int around : new int[] {-1, 0, 1}) {
        assertSame(implementation, data, 0, chunks * KIB + around);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void matchesCommonsCodecAtRandomRanges(Implementation implementation) {
    assumeTrue(implementation.isUsable());
    long seed = System.nanoTime();
    Random random = new Random(seed);
    byte[] data = random(seed, LARGEST);
    for (int i = 0; i < 300; i++) {
      int offset = random.nextInt(1 << random.nextInt(17));
      int length = random.nextInt(LARGEST - offset + 1);
      assertSame(implementation, data, offset, length, "seed " + seed);
    }
  }

  @ParameterizedTest
  @EnumSource
  void twoHashesAndATailAreHashedAsTheirBytes(PairImplementation implementation) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      int tailBytes = 1 + random.nextInt(Long.BYTES);
      byte[] all = new byte[2 * Hash.BYTES + tailBytes];
      random.nextBytes(all);
      long tail = 0;
      for (int at = all.length - 1; at >= 2 * Hash.BYTES; at--) {
        tail = (tail << Byte.SIZE) | (all[at] & 0xff);
      }
      assertEquals(
          Hash.read(org.apache.commons.codec.digest.Blake3.hash(all), 0),
          implementation.hash(Hash.read(all, 0), Hash.read(all, Hash.BYTES), tail, tailBytes),
          () -> "seed " + seed);
    }
  }

  @ParameterizedTest
  @EnumSource
  void twoHashesWithAKeyAreHashedInTheKeyedMode(PairImplementation implementation) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      byte[] key = new byte[Hash.BYTES];
      byte[] pair = new byte[2 * Hash.BYTES];
      random.nextBytes(key);
      random.nextBytes(pair);
      assertEquals(
          Hash.read(org.apache.commons.codec.digest.Blake3.keyedHash(key, pair), 0),
          implementation.keyed(Hash.read(key, 0), Hash.read(pair, 0), Hash.read(pair, Hash.BYTES)),
          () -> "seed " + seed);
    }
  }

  /**
   * The official test vector of the keyed mode for 64 bytes: byte i of the input is i mod 251. The
   * expected hash is the first 32 bytes of the published output.
   */
  @ParameterizedTest
  @EnumSource
  void theKeyedModeMatchesTheOfficialVector(PairImplementation implementation) {
    byte[] key = "whats the Elvish word for friend".getBytes(StandardCharsets.US_ASCII);
    byte[] pair = new byte[2 * Hash.BYTES];
    for (int i = 0; i < pair.length; i++) {
      pair[i] = (byte) i;
    }
    assertEquals(
        "ba8ced36f327700d213f120b1a207a3b8c04330528586f414d09f2f7d9ccb7e6",
        implementation
            .keyed(Hash.read(key, 0), Hash.read(pair, 0), Hash.read(pair, Hash.BYTES))
            .toString());
  }

  /**
   * Also on processors on which this code is slow and not used, hence only a few lengths: all would
   * take minutes there.
   */
  @ParameterizedTest
  @ValueSource(ints = {2048, 2049, 3071, 3072, 3073, 4095, 4096, 5121})
  void fourChunksInQuartersMatchCommonsCodecOnAnyMachine(int length) {
    byte[] data = random(6, length + 77);
    for (int offset : new int[] {0, 1, 64, 77}) {
      assertSame(Implementation.QUARTERS, data, offset, length);
    }
  }

  @Test
  void aRangeAtTheEdgesOfTheArrayReadsNothingOutsideIt() {
    byte[] data = random(3, 100);
    for (int length = 0; length <= 16; length++) {
      assertSame(Implementation.DISPATCHED, data, 0, length);
      assertSame(Implementation.DISPATCHED, data, 1, length);
      assertSame(Implementation.DISPATCHED, data, data.length - length, length);
    }
  }

  @Test
  void rejectsARangeOutsideTheArray() {
    byte[] data = new byte[10];
    assertAll(
        () -> assertThrows(IndexOutOfBoundsException.class, () -> Blake3.hash(data, 0, 11)),
        () -> assertThrows(IndexOutOfBoundsException.class, () -> Blake3.hash(data, 11, 0)),
        () -> assertThrows(IndexOutOfBoundsException.class, () -> Blake3.hash(data, -1, 1)),
        () -> assertThrows(IndexOutOfBoundsException.class, () -> Blake3.hash(data, 0, -1)));
  }

  /** For long inputs compiled vector code is much faster, so the switch to it must happen. */
  @ParameterizedTest(name = "{0} bytes")
  @ValueSource(ints = {4 * KIB, LARGEST})
  void vectorsAreUsedOnceTheyAreTheFasterWay(int length) throws InterruptedException {
    awaitDecision(length);
    assertTrue(Blake3.LONG.isOver(length), "vectors were given up");
    assertSame(Implementation.DISPATCHED, random(5, length), 0, length, "after it");
  }

  /** For short inputs the result depends on the processor, but it must not change any more. */
  @ParameterizedTest(name = "{0} bytes")
  @ValueSource(ints = {64, 157})
  void ofShortInputsTheFasterWayIsUsed(int length) throws InterruptedException {
    awaitDecision(length);
    boolean vectors = Blake3.SHORT.isOver(length);
    assertSame(Implementation.DISPATCHED, random(5, length), 0, length, "after it");
    assertEquals(vectors, Blake3.SHORT.isOver(LARGEST), "it stays so");
  }

  private static void awaitDecision(int length) throws InterruptedException {
    byte[] data = random(5, length);
    VectorWarmUp warmUp = length < 2 * KIB ? Blake3.SHORT : Blake3.LONG;
    // Three lengths, each with the maximum time of a trial and the pauses in it.
    long limitNs = System.nanoTime() + 3 * 3 * VectorTrial.MAX_SLOW_NS;
    while (!warmUp.isDecided()) {
      boolean _ = warmUp.isOver(LARGEST); // counts blocks until warm-up starts
      assertSame(Implementation.DISPATCHED, data, 0, length, "before the change");
      assertTrue(System.nanoTime() - limitNs < 0, "not in time");
      Thread.sleep(1);
    }
  }

  /** Each vector width is different code; without the module the scalar fallback is tested. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "without the module",
        "--add-modules=jdk.incubator.vector -XX:MaxVectorSize=8",
        "--add-modules=jdk.incubator.vector -XX:MaxVectorSize=16",
        "--add-modules=jdk.incubator.vector -XX:MaxVectorSize=32"
      })
  @Tag("slow")
  void matchesCommonsCodecInAJvmWith(String options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (options.startsWith("--")) {
      command.addAll(List.of(options.split(" ")));
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Child.class.getName()));
    if (options.startsWith("--")) {
      command.add("with the module");
    }
    Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output =
        new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertEquals(0, child.waitFor(), output);
    assertTrue(output.endsWith("all the same"), output);
  }

  /** The program that runs in the child JVM. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) {
      byte[] data = random(4, LARGEST);
      IntStream aroundTrees =
          IntStream.of(3, 4, 5, 7, 8, 9, 12, 13, 14, 15, 16, 17, 31, 33, 65)
              .flatMap(chunks -> IntStream.rangeClosed(chunks * KIB - 1, chunks * KIB + 1));
      IntStream.concat(IntStream.of(0, 1, 64, 100, 1024, 3000, 130_000, LARGEST), aroundTrees)
          .forEach(
              length -> {
                assertSame(Implementation.DISPATCHED, data, 0, length);
                if (args.length > 0 && Blake3Rows.isUsable()) {
                  assertSame(Implementation.ROWS, data, 0, length);
                }
                if (args.length > 0 && Blake3Vector.isUsable()) {
                  assertSame(Implementation.VECTOR, data, 0, length);
                  if (length > 64) {
                    assertSame(Implementation.VECTOR, data, 5, length - 9);
                  }
                }
              });
      System.out.println("all the same");
    }
  }

  private static void assertSame(
      Implementation implementation, byte[] data, int offset, int length, String... notes) {
    assertEquals(
        commonsCodec(data, offset, length),
        implementation.hash(data, offset, length),
        () ->
            "%s, offset %d, length %d %s"
                .formatted(implementation, offset, length, String.join(" ", notes)));
  }

  private static Hash commonsCodec(byte[] data, int offset, int length) {
    byte[] out = new byte[Hash.BYTES];
    org.apache.commons.codec.digest.Blake3.initHash().update(data, offset, length).doFinalize(out);
    return Hash.read(out, 0);
  }

  private static byte[] random(long seed, int length) {
    byte[] data = new byte[length];
    new Random(seed).nextBytes(data);
    return data;
  }
}
