package io.hypersync.model.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests locking and unlocking of byte ranges against a model with one entry per byte. */
class OwnerLocksTest {
  /**
   * Number of bytes in the model; the last one stands for all bytes from there to the end of the
   * file.
   */
  private static final int BYTES = 40;

  static IntStream seeds() {
    return IntStream.rangeClosed(1, 200);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void isTheNormalFormOfAnArrayOfBytes(long seed) {
    Random random = new Random(seed);
    @Nullable LockMode[] model = new LockMode[BYTES];
    OwnerLocks locks = new OwnerLocks();
    for (int step = 0; step < 300; step++) {
      String where = "seed " + seed + " step " + step;
      int from = random.nextInt(BYTES);
      int to = random.nextInt(4) == 0 ? BYTES - 1 : from + random.nextInt(BYTES - from);
      LockMode mode =
          switch (random.nextInt(3)) {
            case 0 -> LockMode.SHARED;
            case 1 -> LockMode.EXCLUSIVE;
            default -> null;
          };
      LockRange range = range(from, to);
      assertEquals(
          normalForm(Arrays.copyOfRange(model, from, to + 1), from),
          locks.within(range),
          () -> where + ": before, within " + range);
      assertEquals(
          conflicts(model, from, to, LockMode.SHARED),
          locks.conflict(range, LockMode.SHARED) != null,
          where);
      assertEquals(
          conflicts(model, from, to, LockMode.EXCLUSIVE),
          locks.conflict(range, LockMode.EXCLUSIVE) != null,
          where);
      locks.set(range, mode);
      Arrays.fill(model, from, to + 1, mode);
      assertEquals(normalForm(model, 0), locks.pieces(), where);
    }
  }

  /** Locks held, a call, and the locks held after it. */
  @ParameterizedTest(name = "{0}; {1} gives {2}")
  @CsvSource({
    "'',          W 0-9,   W 0-9",
    "W 0-9,       W 10-19, W 0-19",
    "W 10-19,     W 0-9,   W 0-19",
    "W 0-9,       R 10-19, W 0-9 R 10-19",
    "W 0-9,       R 3-5,   W 0-2 R 3-5 W 6-9",
    "W 0-9,       U 3-5,   W 0-2 W 6-9",
    "W 0-9,       U 0-end, ''",
    "W 5-end,     U 9-end, W 5-8",
    "W 5-end,     R 9-end, W 5-8 R 9-end",
    "R 0-2 R 6-9, R 3-5,   R 0-9",
    "R 0-2 W 6-9, W 1-7,   R 0-0 W 1-9",
    "W 0-end,     W 3-4,   W 0-end",
  })
  void setsBytes(String held, String call, String expected) {
    OwnerLocks locks = new OwnerLocks();
    String before = held + " " + call;
    String[] words = before.strip().split(" ", -1);
    for (int i = 0; i < words.length; i += 2) {
      locks.set(parse(words[i + 1]), mode(words[i]));
    }
    List<String> found = new ArrayList<>();
    for (HeldLock piece : locks.pieces()) {
      found.add(
          (piece.mode() == LockMode.SHARED ? "R " : "W ")
              + piece.range().first()
              + "-"
              + (piece.range().last() == LockRange.TO_THE_END ? "end" : piece.range().last()));
    }
    assertEquals(expected, String.join(" ", found));
  }

  @Test
  void nothingConflictsWithNothing() {
    assertNull(new OwnerLocks().conflict(LockRange.WHOLE, LockMode.EXCLUSIVE));
  }

  private static LockRange parse(String text) {
    String[] ends = text.split("-", -1);
    return new LockRange(
        Long.parseLong(ends[0]),
        ends[1].equals("end") ? LockRange.TO_THE_END : Long.parseLong(ends[1]));
  }

  private static @Nullable LockMode mode(String letter) {
    return switch (letter) {
      case "R" -> LockMode.SHARED;
      case "W" -> LockMode.EXCLUSIVE;
      default -> null;
    };
  }

  private static LockRange range(int from, int to) {
    return new LockRange(from, to == BYTES - 1 ? LockRange.TO_THE_END : to);
  }

  private static boolean conflicts(@Nullable LockMode[] model, int from, int to, LockMode mode) {
    for (int i = from; i <= to; i++) {
      if (model[i] != null && model[i].conflictsWith(mode)) {
        return true;
      }
    }
    return false;
  }

  private static List<HeldLock> normalForm(@Nullable LockMode[] bytes, int base) {
    List<HeldLock> runs = new ArrayList<>();
    int start = 0;
    for (int i = 1; i <= bytes.length; i++) {
      if (i == bytes.length || bytes[i] != bytes[start]) {
        LockMode mode = bytes[start];
        if (mode != null) {
          runs.add(new HeldLock(range(base + start, base + i - 1), mode));
        }
        start = i;
      }
    }
    return runs;
  }
}
