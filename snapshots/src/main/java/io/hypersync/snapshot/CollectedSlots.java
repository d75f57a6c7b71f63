package io.hypersync.snapshot;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.util.Arrays;

/**
 * What the file {@code collected} has: two slots of 4,096 bytes, so that one can be written in
 * place, which needs no room on a full disk, while the other one keeps what was said before. A slot
 * that was never used is all zeros. Integers are big-endian:
 *
 * <pre>
 *   0              8           9           17                                49       4096
 *   +--------------+-----------+-----------+---------------------------------+--------+
 *   | "HSCOLLEC"   | format u8 | index u64 | BLAKE3 of what comes before     | zeros  |
 *   |              | = 1       |           |                                 |        |
 *   +--------------+-----------+-----------+---------------------------------+--------+
 * </pre>
 *
 * @param index the highest one of the slots that can be read; 0 if none can
 * @param newest which slot has it; -1 if none has
 * @param isDamaged whether anything else than zeros cannot be read, so that the index may have been
 *     higher
 */
record CollectedSlots(long index, int newest, boolean isDamaged) {
  static final int SLOTS = 2;
  static final int SLOT_BYTES = 4_096;

  private static final long MAGIC = 0x4853434f4c4c4543L; // "HSCOLLEC"
  private static final int FORMAT = 1;
  private static final int COVERED_BYTES = 17;
  private static final int USED_BYTES = COVERED_BYTES + Hash.BYTES;

  /** The bytes of one slot. */
  static byte[] slot(long index) {
    CanonicalWriter out = new CanonicalWriter(USED_BYTES).u64(MAGIC).u8(FORMAT).u64(index);
    out.hash(Blake3.hash(out.array(), 0, COVERED_BYTES));
    return Arrays.copyOf(out.toBytes(), SLOT_BYTES);
  }

  /** The bytes of a file whose second slot was never used. */
  static byte[] file(long index) {
    return Arrays.copyOf(slot(index), SLOTS * SLOT_BYTES);
  }

  /** Reads a file, whatever is in it. */
  static CollectedSlots read(byte[] file) {
    long index = 0;
    int newest = -1;
    boolean damaged = file.length != SLOTS * SLOT_BYTES;
    for (int i = 0; i < SLOTS && (i + 1) * SLOT_BYTES <= file.length; i++) {
      byte[] slot = Arrays.copyOfRange(file, i * SLOT_BYTES, (i + 1) * SLOT_BYTES);
      if (isZero(slot)) {
        continue;
      }
      try {
        long said = decode(slot);
        if (newest < 0 || said > index) {
          index = said;
          newest = i;
        }
      } catch (DecodeException e) {
        damaged = true;
      }
    }
    return new CollectedSlots(index, newest, damaged || newest < 0);
  }

  private static long decode(byte[] slot) throws DecodeException {
    CanonicalReader in = new CanonicalReader(Arrays.copyOf(slot, USED_BYTES));
    if (in.u64() != MAGIC || in.u8() != FORMAT) {
      throw new DecodeException("not the mark of a collection");
    }
    long index = in.size();
    Hash said = in.hash();
    in.finish();
    if (!Blake3.hash(slot, 0, COVERED_BYTES).equals(said)) {
      throw new DecodeException("it is damaged");
    }
    return index;
  }

  private static boolean isZero(byte[] bytes) {
    for (byte each : bytes) {
      if (each != 0) {
        return false;
      }
    }
    return true;
  }
}
